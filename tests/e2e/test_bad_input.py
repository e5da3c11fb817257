"""What is wrong is said before work starts where it can be known, with the place, what is allowed, and an exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bakeoff.cli.main import main
from bakeoff.embedded import Embedded
from bakeoff.runtime.connect import connect_objects
from bakeoff.runtime.nats_server import NatsServer
from bakeoff.runtime.s3_server import S3Server
from bakeoff.runtime.settings import Settings
from tests.e2e import command

GOOD = {
    "benchmark": "{beir: {path: data}}",
    "parser": "text",
    "chunker": "none",
    "embedder": "hashing",
    "index": "dense",
    "engine": "vector_search",
    "generator": "extractive",
    "limit": "null",
}
FILE = """\
name: bad input
benchmarks:
  - {{adapter: {benchmark}, limit: {limit}}}
recipes:
  - name: r
    build: {{parser: {parser}, chunker: {chunker}, embedder: {embedder}, index: {index}}}
    query: {{engine: {engine}}}
    answer: {generator}
"""
LARGEST_BYTES = 2000
DOCUMENTS = [(f"d{number}", f"word{number} and others") for number in range(4)]
QUERIES = [(f"q{number}", f"word{number}") for number in range(4)]
JUDGEMENTS = [(f"q{number}", f"d{number}") for number in range(4)]

Pairs = Sequence[tuple[str, str]]


def write_data(
    folder: Path, documents: Pairs = DOCUMENTS, queries: Pairs = QUERIES, judgements: Pairs = JUDGEMENTS
) -> None:
    """Write a small benchmark in the layout of BEIR."""
    (folder / "qrels").mkdir(parents=True)
    for name, records in (("corpus", documents), ("queries", queries)):
        lines = [json.dumps({"_id": identity, "text": text}) for identity, text in records]
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
    rows = ["query-id\tcorpus-id\tscore", *(f"{query}\t{document}\t1" for query, document in judgements)]
    (folder / "qrels/test.tsv").write_text("\n".join(rows))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a good benchmark in it, and no settings."""
    for name in [name for name in os.environ if name.startswith("BAKEOFF_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    write_data(tmp_path / "data")
    return tmp_path


# Known before anything starts


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("benchmark", "{bier: {path: data}}", "no adapter is named 'bier'; did you mean 'beir'?"),
        ("benchmark", "{beir: {path: data, spilt: dev}}", "has no setting 'spilt'; did you mean 'split'?"),
        ("benchmark", "{beir: {path: scifct}}", "does not exist; did you mean the public set 'scifact'?"),
        ("benchmark", "{beir: {path: nowhere}}", "nowhere' does not exist"),
        ("benchmark", "{beir: {path: data, split: dev}}", "has no qrels/dev.tsv; there are: test"),
        ("benchmark", "{beir: {path: data}}, evaluators: [ndgc]", "no evaluator is named 'ndgc'; did you mean 'ndcg'?"),
        ("benchmark", "{beir: {path: data}}, evaluators: [ndcg(k=0)]", "must be at least 1, not 0"),
        ("parser", "tekst", "e.yaml:6: recipes[0].build.parser: no parser is named 'tekst'; did you mean 'text'?"),
        ("chunker", "tokns", "e.yaml:6: recipes[0].build.chunker: no chunker is named 'tokns'; did you mean 'tokens'?"),
        ("chunker", '"tokens(size=20, overlap=20)"', "chunker.overlap: must be smaller than size (20), not 20"),
        ("chunker", '"tokens(size=20, overlap=21)"', "chunker.overlap: must be smaller than size (20), not 21"),
        ("chunker", "tokens(size=20, overlap=2)", "a comma ends it: put it in quotes"),
        ("embedder", "hashin", "no embedder is named 'hashin'; did you mean 'hashing'?"),
        ("embedder", "null", "dense needs vectors: name an embedder beside it (hashing"),
        ("index", "dens", "no index is named 'dens'; did you mean 'dense'?"),
        ("engine", "vector_serch", "e.yaml:7: recipes[0].query.engine: no query engine is named 'vector_serch'; did"),
        ("engine", "hybrid_search", "hybrid_search needs the index bm25, but the recipe builds dense"),
        ("generator", "extractve", "e.yaml:8: recipes[0].answer: no generator is named 'extractve'; did you mean"),
        ("limit", "0", "must be a whole number from 1 to 4294967295, not 0"),
        ("limit", "[", "e.yaml:3: is no YAML"),
    ],
)
def test_a_fault_of_the_file_is_told_with_its_line_before_anything_starts(
    here: Path, capsys: pytest.CaptureFixture[str], part: str, value: str, said: str
) -> None:
    (here / "e.yaml").write_text(FILE.format(**{**GOOD, part: value}))

    code = main(["run", "e.yaml"])

    assert code == 2
    error = capsys.readouterr().err
    assert said in error
    assert "1 fault:" in error or "2 faults:" in error
    assert not (here / ".bakeoff").exists()
    assert not (here / "reports").exists()


def test_the_file_without_a_fault_is_valid(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "e.yaml").write_text(FILE.format(**GOOD))

    assert main(["validate", "e.yaml"]) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "nowhere.yaml"], 3, "nowhere.yaml"),
        (["run", "e.yaml", "--out", "e.yaml/report"], 2, "cannot be written"),
        (["submit", "e.yaml", "--server", "127.0.0.1:1"], 4, "127.0.0.1:1 does not answer"),
        (["watch", "ev-1"], 4, "name one with --server"),
        (["report", "reports/none"], 3, "there is no report"),
        (["serve", "scroing"], 2, "no service is named 'scroing'"),
    ],
)
def test_a_command_that_cannot_do_its_work_says_why(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    (here / "e.yaml").write_text(FILE.format(**GOOD))

    assert main(arguments) == code
    assert said in capsys.readouterr().err


# Known when the data is read


@dataclass(frozen=True)
class Platform:
    """One embedded platform, told to take small documents only."""

    address: str
    settings: Settings

    def keys(self) -> set[str]:
        objects = connect_objects(self.settings)
        return {info.key for info in objects.list("")}


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    settings = Settings(max_document_bytes=LARGEST_BYTES)
    with Embedded(tmp_path_factory.mktemp("platform"), settings) as embedded:
        yield Platform(embedded.address, embedded.settings)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            {"judgements": [(query, f"other-{document}") for query, document in JUDGEMENTS]},
            "0 of 4 judged cases have a judged document that is there",
        ),
        ({"judgements": [("q99", "d0")]}, "0 of 4 queries of queries.jsonl have a judgement"),
        ({"documents": [*DOCUMENTS, ("d0", "other words")]}, "two documents have the id 'd0' on lines 1 and 5 of"),
        ({"queries": [*QUERIES, QUERIES[0]]}, "queries.jsonl:5: _id: 'q0' is already on line 1"),
        (
            {"documents": [*DOCUMENTS, ("big", "x" * LARGEST_BYTES)]},
            "at most 2,000 are taken (BAKEOFF_MAX_DOCUMENT_BYTES)",
        ),
    ],
)
def test_wrong_data_ends_the_evaluation_with_the_reason_and_leaves_nothing_half_written(
    platform: Platform, tmp_path: Path, capsys: pytest.CaptureFixture[str], data: dict[str, Pairs], said: str
) -> None:
    write_data(tmp_path / "data", **data)
    (tmp_path / "e.yaml").write_text(FILE.format(**GOOD))
    before = platform.keys()

    code = submit(platform, tmp_path)

    assert code == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "report").exists()
    new = platform.keys() - before
    assert [key for key in new if not key.endswith("/request.json")] == []


def test_judgements_of_documents_that_are_not_there_are_a_finding_of_the_report(
    platform: Platform, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(tmp_path / "data", judgements=[*JUDGEMENTS, ("q0", "nobody")])
    (tmp_path / "e.yaml").write_text(FILE.format(**GOOD))

    assert submit(platform, tmp_path) == 0

    assert "judgements of documents that are not in the corpus" in capsys.readouterr().out
    report = json.loads((tmp_path / "report/report.json").read_text())
    findings = report["benchmarks"][0]["quality"]["findings"]
    assert [(finding["code"], finding["count"]) for finding in findings] == [("dangling_judgement", 1)]


def submit(platform: Platform, folder: Path) -> int:
    arguments = ["submit", str(folder / "e.yaml"), "--server", platform.address, "--wait"]
    return main([*arguments, "--out", str(folder / "report")])


# Known when a service starts


class WriteRefusingStore(BaseHTTPRequestHandler):
    """An S3 store in which the bucket `readable` can be read, and nothing can be written."""

    def do_HEAD(self) -> None:
        if self.path.startswith("/readable"):
            self._answer(200)
        else:
            self._answer(404)

    def do_GET(self) -> None:
        self._answer(404, "NoSuchKey")

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(403, "AccessDenied")

    do_DELETE = do_PUT  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _answer(self, status: int, code: str = "") -> None:
        body = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode() if code else b""
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    """The right settings for a bus and an object store, and under WRITE_REFUSING the address of the other store."""
    folder = tmp_path_factory.mktemp("servers")
    refusing = ThreadingHTTPServer(("127.0.0.1", 0), WriteRefusingStore)
    threading.Thread(target=refusing.serve_forever, daemon=True).start()
    with NatsServer(folder / "nats") as bus, S3Server(folder / "s3") as store:
        yield {
            "BAKEOFF_NATS_URL": bus.url,
            "BAKEOFF_NATS_TOKEN": bus.token,
            "BAKEOFF_S3_ENDPOINT": store.endpoint,
            "BAKEOFF_S3_ACCESS_KEY": store.access_key,
            "BAKEOFF_S3_SECRET_KEY": store.secret_key,
            "BAKEOFF_LISTEN": "127.0.0.1:0",
            "WRITE_REFUSING": f"http://127.0.0.1:{refusing.server_port}",
        }
    refusing.shutdown()


NOWHERE = "127.0.0.1:1"  # nobody listens on a port that only root may open
REFUSED = [
    pytest.param({"BAKEOFF_NATS_TOKEN": "wrong"}, "refuses the token (BAKEOFF_NATS_TOKEN)", id="token"),
    pytest.param({"BAKEOFF_NATS_URL": "nonsense::"}, "'nonsense::' is no address of a bus", id="bus address"),
    pytest.param({"BAKEOFF_S3_SECRET_KEY": "wrong"}, "set BAKEOFF_S3_ACCESS_KEY and BAKEOFF_S3_SECRET_KEY", id="keys"),
    pytest.param({"BAKEOFF_S3_ENDPOINT": NOWHERE}, "BAKEOFF_S3_ENDPOINT must be http://", id="store address"),
    pytest.param({"BAKEOFF_S3_BUCKET": "A_B"}, "BAKEOFF_S3_BUCKET 'A_B' is no bucket name", id="bucket name"),
    pytest.param(
        {"BAKEOFF_S3_ENDPOINT": "WRITE_REFUSING", "BAKEOFF_S3_BUCKET": "absent"},
        "refuses access to bucket 'absent'",
        id="bucket that cannot be made",
    ),
    pytest.param(
        {"BAKEOFF_S3_ENDPOINT": "WRITE_REFUSING", "BAKEOFF_S3_BUCKET": "readable"},
        "refuses access to bucket 'readable'",
        id="bucket that cannot be written",
    ),
]


@pytest.mark.parametrize(("wrong", "said"), REFUSED)
def test_a_service_that_is_refused_ends_with_2_and_says_which_setting_is_wrong(
    settings: Mapping[str, str], tmp_path: Path, wrong: dict[str, str], said: str
) -> None:
    ended = command.run(["serve", "scoring"], tmp_path, with_wrong(settings, wrong))

    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert "waiting" not in ended.out


@pytest.mark.parametrize(("wrong", "said"), REFUSED)
def test_the_doctor_finds_what_a_service_would_be_refused_for(
    settings: Mapping[str, str],
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    wrong: dict[str, str],
    said: str,
) -> None:
    for name, value in with_wrong(settings, wrong).items():
        monkeypatch.setenv(name, value)

    assert main(["doctor", "--only", "platform", "--json"]) == 1

    checks = {line["name"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    at_fault = "bus" if any("NATS" in name for name in wrong) else "object store"
    well = {"bus", "object store"} - {at_fault}
    assert said in checks[at_fault]["detail"]
    assert all(checks[name]["ok"] for name in well)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"BAKEOFF_S3_ENDPOINT": f"http://{NOWHERE}"}, id="store"),
        # Waits five seconds before it says so: a bus that restarts is back by then.
        pytest.param({"BAKEOFF_NATS_URL": f"nats://{NOWHERE}"}, id="bus", marks=pytest.mark.slow),
    ],
)
def test_a_service_without_bus_or_store_says_once_that_it_waits_and_stops_when_told(
    settings: Mapping[str, str], tmp_path: Path, wrong: dict[str, str]
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bakeoff", "serve", "scoring"],
        cwd=tmp_path,
        env=command.environment(with_wrong(settings, wrong)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    time.sleep(1.0)  # room for more tries
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=10)

    assert json.loads(line)["event"] == "waiting for the bus and the object store"
    assert NOWHERE in json.loads(line)["reason"]
    assert rest == ""
    assert process.returncode == 0


@pytest.mark.parametrize("arguments", [["serve", "inference"], ["components"], ["run", "e.yaml"]])
def test_a_plug_in_that_cannot_be_imported_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    (here / "e.yaml").write_text(FILE.format(**GOOD))
    monkeypatch.setenv("BAKEOFF_PLUGINS", "no_such_module")

    assert main(arguments) == 2
    assert "BAKEOFF_PLUGINS names the module 'no_such_module', which cannot be loaded" in capsys.readouterr().err


def with_wrong(settings: Mapping[str, str], wrong: Mapping[str, str]) -> dict[str, str]:
    values = {name: settings.get(value, value) for name, value in wrong.items()}
    return {**{name: value for name, value in settings.items() if name.startswith("BAKEOFF_")}, **values}
