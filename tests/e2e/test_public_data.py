"""Public benchmarks through every service: the numbers that others get, and the same data by another way."""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

from tests.e2e import command

pytestmark = [pytest.mark.data, pytest.mark.slow, pytest.mark.timeout(400)]

# nDCG@10 and recall@100 of a plain script: bm25s 0.3.16 with k1 1.5 and b 0.75, English stop words, Snowball stemmer,
# scored by pytrec_eval (the README of the data, under "Published reference scores").
EXPECTED = {
    "scifact": (0.6863, 0.9127),
    "cranfield": (0.3877, 0.7379),
    "vaswani": (0.4280, 0.5966),
    "2wiki-101": (0.6951, 0.7525),
    "limit-small": (0.9920, 1.0),
}
VAIN = "vain"
"""A benchmark with one question that finds nothing, and so is not in the run."""
RECIPES = """\
recipes:
  - name: bm25
    build: {chunker: none, index: bm25}
    query: full_text_search
"""
MEASURES = {
    "ndcg@10": "ndcg_cut_10",
    "map": "map",
    "recall@100": "recall_100",
    "precision@10": "P_10",
    "mrr": "recip_rank",
    "hit@10": "success_10",
}
Entrant = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A folder in which evaluations were run in one platform."""

    folder: Path

    def run(self, name: str, benchmarks: str, settings: dict[str, str] | None = None) -> command.Ended:
        """Run an evaluation; `benchmarks` is the YAML list."""
        (self.folder / f"{name}.yaml").write_text(f"name: {name}\nbenchmarks:\n{benchmarks}\n{RECIPES}")
        return command.run(["run", f"{name}.yaml", "--dir", "platform", "--out", name, "--json"], self.folder, settings)

    def report(self, name: str) -> dict[str, Any]:
        report: dict[str, Any] = json.loads((self.folder / name / "report.json").read_text())
        return report


@pytest.fixture(scope="module")
def place(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("public"))
    write_with_a_vain_question(data_dir / "limit-small", place.folder / VAIN)
    folders = [*(data_dir / name for name in EXPECTED), place.folder / VAIN]
    ended = place.run("folders", "\n".join(f"  - beir: {{path: {folder}}}" for folder in folders))
    assert ended.finished["failed_cases"] == 0
    return place


def write_with_a_vain_question(source: Path, folder: Path) -> None:
    """Copy a benchmark, with a first question that finds nothing."""
    shutil.copytree(source, folder)
    first, *others = (source / "queries.jsonl").read_text().splitlines()
    vain = {**json.loads(first), "text": "xyzzy"}
    (folder / "queries.jsonl").write_text("\n".join([json.dumps(vain), *others]))


def entrant_of(report: dict[str, Any], benchmark: str) -> Entrant:
    return next(entrant for entrant in report["entrants"] if entrant["benchmark"] == benchmark)


def means(entrant: Entrant) -> dict[str, float]:
    return {metric["metric"]: metric["mean"] for metric in entrant["metrics"]}


@pytest.mark.parametrize("name", EXPECTED)
def test_bm25_gets_the_numbers_of_a_plain_script(place: Place, name: str) -> None:
    found = means(entrant_of(place.report("folders"), name))

    assert (found["ndcg@10"], found["recall@100"]) == pytest.approx(EXPECTED[name], abs=0.01)


@pytest.mark.parametrize("name", [*EXPECTED, VAIN])
def test_every_metric_is_that_of_trec_eval_on_the_exported_run(place: Place, name: str) -> None:
    entrant = entrant_of(place.report("folders"), name)
    with zipfile.ZipFile(place.folder / "folders/trec.zip") as archive:
        qrels = pytrec_eval.parse_qrel(archive.read(f"qrels/{name}.qrels").decode().splitlines())
        run = pytrec_eval.parse_run(archive.read(f"runs/{name}/bm25/full_text_search.run").decode().splitlines())

    per_query = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES.values())).evaluate(run)

    assert len(qrels) == entrant["planned_cases"] == entrant["answered_cases"]
    assert len(qrels) - len(run) == (1 if name == VAIN else 0)
    assert {metric["metric"] for metric in entrant["metrics"]} == set(MEASURES)
    for metric, mean in means(entrant).items():
        # A query without a line in the run is missing from the result: it counts as zero.
        total = sum(per_query[query][MEASURES[metric]] for query in qrels if query in per_query)
        assert mean == pytest.approx(total / len(qrels), abs=1e-9), metric


@pytest.fixture(scope="module")
def address(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an archive made of the SciFact folder, as the public sets are published."""
    folder = tmp_path_factory.mktemp("server")
    with zipfile.ZipFile(folder / "scifact.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
            archive.write(data_dir / "scifact" / name, f"scifact/{name}")

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/scifact.zip"
    server.shutdown()


def test_an_archive_from_an_address_is_the_benchmark_of_the_folder(place: Place, address: str) -> None:
    ended = place.run("archive", f"  - beir: {{path: '{address}'}}", {"BAKEOFF_ALLOW_PRIVATE_ADDRESSES": "true"})

    # The knowledge base of the folder is that of the archive.
    assert ended.finished["items"]["build"] == {"done_now": 0, "found_done": 1}
    folders, archive = place.report("folders"), place.report("archive")
    fingerprints = {benchmark["name"]: benchmark["fingerprint"] for benchmark in folders["benchmarks"]}
    assert archive["benchmarks"][0]["fingerprint"] == fingerprints["scifact"]
    assert means(archive["entrants"][0]) == means(entrant_of(folders, "scifact"))


def test_an_address_in_a_private_network_is_refused_unless_it_is_allowed(place: Place, address: str) -> None:
    never_fetched = address.replace("scifact.zip", "other.zip")

    ended = place.run("private", f"  - beir: {{path: '{never_fetched}'}}")

    assert ended.code == 1
    assert "BAKEOFF_ALLOW_PRIVATE_ADDRESSES" in ended.lines[-1]["reason"]
    assert not (place.folder / "private").exists()
