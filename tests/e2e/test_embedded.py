"""`bakeoff run` on one machine: it ends in a report, again and again, whatever happens to it in between."""

from __future__ import annotations

import csv
import json
import signal
import zipfile
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from tests.e2e import command
from tests.e2e.synthetic import write_benchmark

CASES = 20
BATCH = 5
ENTRANTS = 2
INFER_ITEMS = 2 * ENTRANTS * CASES // BATCH
SLOTS = 2
EVALUATION = """\
name: two benchmarks
benchmarks:
  - {{jsonl: {{documents: one/documents.jsonl, cases: one/cases.jsonl}}, name: one}}
  - {{jsonl: {{documents: two/documents.jsonl, cases: two/cases.jsonl}}, name: two}}
recipes:
  - name: words
    query: {{full_text_search: {{}}, top_k: 10}}
    answer: {answer}
  - name: vectors
    build: {{embedder: hashing, indexes: [bm25, dense]}}
    query: {{hybrid_search: {{}}, top_k: 10}}
    answer: {answer}
options: {{batch_cases: {batch}}}
"""


@dataclass(frozen=True)
class Place:
    """A folder with an evaluation file, and what the command printed when it ran there undisturbed."""

    folder: Path
    calm: command.Ended

    @property
    def began(self) -> list[str]:
        """The cases that began so far, in all runs."""
        return (self.folder / "began").read_text().split()

    def run(self, platform: str, *arguments: str) -> command.Ended:
        return command.run(run_arguments(platform, *arguments), self.folder)


def run_arguments(platform: str, *more: str) -> list[str]:
    return ["run", "evaluation.yaml", "--dir", platform, "--out", f"report-{platform}", *more]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("embedded")
    for name in ("one", "two"):
        write_benchmark(folder / name, documents=12, cases=CASES)
    answer = f"{{faulty: {{delay_s: 0.05, log: {folder / 'began'}}}}}"
    (folder / "evaluation.yaml").write_text(EVALUATION.format(answer=answer, batch=BATCH))
    calm = command.run(run_arguments("calm", "--json"), folder)
    return Place(folder, calm)


def infer_done(line: command.Line) -> int:
    """How many infer items have ended, by a line of progress."""
    return next((int(stage["done"]) for stage in line.get("stages", ()) if stage["stage"] == "infer"), 0)


def test_a_run_prints_json_lines_alone_and_leaves_every_file_of_the_report(place: Place) -> None:
    finished = place.calm.finished

    assert {line["event"] for line in place.calm.lines} == {"evaluation", "finished"}
    assert place.calm.err == ""
    assert finished["failed_cases"] == 0
    assert finished["items"]["infer"] == {"done_now": INFER_ITEMS, "found_done": 0}
    files = {name: place.folder / path for name, path in finished["files"].items()}
    assert sorted(path.name for path in (place.folder / "report-calm").iterdir()) == sorted(
        path.name for path in files.values()
    )

    report = json.loads(files["json"].read_text())
    assert report["digest"] == finished["digest"]
    assert report["schema_version"] == "1"
    assert {(entrant["benchmark"], entrant["planned_cases"]) for entrant in report["entrants"]} == {
        ("one", CASES),
        ("two", CASES),
    }
    metrics = sum(len(entrant["metrics"]) for entrant in report["entrants"])
    rows = list(csv.DictReader(files["csv"].read_text().splitlines()))
    assert len(rows) == metrics * CASES
    assert pq.read_table(files["parquet"]).num_rows == len(rows)
    with zipfile.ZipFile(files["trec"]) as archive:
        assert archive.testzip() is None
        assert {"qrels/one.qrels", "qrels/two.qrels"} <= set(archive.namelist())
    assert_self_contained(files["html"].read_text())


def assert_self_contained(page: str) -> None:
    """The page is whole and loads nothing from elsewhere."""
    assert page.rstrip().endswith("</html>")

    found: list[str] = []

    class Loads(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            if tag in ("script", "img", "link", "iframe"):
                found.extend(value for name, value in attributes if name in ("src", "href") and value)

    Loads().feed(page)
    assert [address for address in found if not address.startswith("data:")] == []


def test_running_again_does_nothing_again_and_gives_the_same_report(place: Place) -> None:
    began = len(place.began)

    again = place.run("calm")

    total = sum(stage["done_now"] for stage in place.calm.finished["items"].values())
    assert again.code == 0
    assert f"items: 0 done now, {total} found done" in again.out
    assert place.calm.finished["digest"] in again.out
    assert len(place.began) == began


@pytest.mark.slow
def test_a_run_that_is_killed_and_then_interrupted_leaves_no_process_and_is_taken_up_where_it_was(place: Place) -> None:
    began = len(place.began)

    killed, done = stop(place, signal.SIGKILL, after=INFER_ITEMS // 4)
    assert killed.code == -signal.SIGKILL

    interrupted, done = stop(place, signal.SIGINT, after=done + INFER_ITEMS // 4)
    assert interrupted.code == 130
    assert "run the same command again to resume" in interrupted.err
    assert "Traceback" not in interrupted.err

    finished = place.run("stopped", "--json").finished
    infer = finished["items"]["infer"]
    assert infer["found_done"] >= done
    assert infer["found_done"] + infer["done_now"] == INFER_ITEMS
    # What was in hand at the kill is begun again, and nothing else.
    assert len(place.began) - began <= (INFER_ITEMS + SLOTS) * BATCH
    assert finished["digest"] == place.calm.finished["digest"]


def stop(place: Place, number: signal.Signals, *, after: int) -> tuple[command.Ended, int]:
    """Run until so many infer items are done, send a signal, and return how it ended and how many were done."""
    running = command.start(run_arguments("stopped", "--json"), place.folder)
    line = running.until(lambda line: infer_done(line) >= after)
    children = running.children()
    assert {"nats-server", "weed"} <= {child.name() for child in children}
    ended = running.signal(number)
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []
    return ended, infer_done(line)


@pytest.mark.slow
def test_a_case_that_kills_the_whole_run_is_found_by_running_again_and_fails_alone(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_benchmark(tmp_path / name, documents=12, cases=CASES if name == "one" else 3)
    answer = "{faulty: {kills: [c0003]}}"
    (tmp_path / "evaluation.yaml").write_text(EVALUATION.format(answer=answer, batch=CASES))
    # An item of each recipe holds the case, and of each the third delivery is the one that runs alone: two deaths an
    # item, of which those in hand at the same time share one. The bus dies with the run and may forget a delivery:
    # hence some more.
    codes = []
    while not codes or codes[-1] == -signal.SIGKILL:
        assert len(codes) < 3 * 2 * ENTRANTS
        codes.append(command.run(run_arguments("killed", "--json"), tmp_path).code)

    assert codes[0] == -signal.SIGKILL
    assert codes[-1] == 0
    rows = list(csv.DictReader((tmp_path / "report-killed/cases.csv").read_text().splitlines()))
    assert {row["case"] for row in rows if row["outcome"] == "failed"} == {"c0003"}
    assert all("killed the process" in row["reason"] for row in rows if row["outcome"] == "failed")


def test_changed_data_is_evaluated_anew_with_the_knowledge_bases_that_did_not_change(place: Place) -> None:
    documents = place.folder / "two/documents.jsonl"
    before = documents.read_text()
    first, rest = before.split("\n", 1)
    other = {**json.loads(first), "text": "nothing that anybody asks for"}
    try:
        documents.write_text(json.dumps(other) + "\n" + rest)
        changed = command.run([*run_arguments("calm", "--json"), "--out", "report-changed"], place.folder)
    finally:
        documents.write_text(before)

    finished = changed.finished
    assert finished["evaluation_id"] != place.calm.finished["evaluation_id"]
    assert finished["digest"] != place.calm.finished["digest"]
    before_means, now_means = means(place, place.calm), means(place, changed)
    assert {name: now_means[name] for name in now_means if name[0] == "one"} == {
        name: before_means[name] for name in before_means if name[0] == "one"
    }
    assert all(now_means[name] < before_means[name] for name in now_means if name[0] == "two")
    # Two recipes on two benchmarks: those of the changed one are built, those of the other are found.
    assert finished["items"]["build"] == {"done_now": 2, "found_done": 2}


def means(place: Place, ended: command.Ended) -> dict[tuple[str, str, str], float]:
    report = json.loads((place.folder / ended.finished["files"]["json"]).read_text())
    return {
        (entrant["benchmark"], entrant["entrant"], metric["metric"]): metric["mean"]
        for entrant in report["entrants"]
        for metric in entrant["metrics"]
        if metric["metric"].startswith(("ndcg", "recall"))
    }
