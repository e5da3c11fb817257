"""Which buckets beside the platform's own a benchmark may be made of, and what is told of those that fail."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import BenchmarkChoice, BenchmarkResource
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.work import PrepareTask, Task
from bakeoff.preparation.check import check_benchmark
from bakeoff.preparation.handlers import prepare_handler
from bakeoff.preparation.other_buckets import OtherBuckets
from bakeoff.runtime.connect import open_bucket
from bakeoff.runtime.settings import Settings
from tests.builders.items import PlainItemContext


class Store(ThreadingHTTPServer):
    """Holds the objects of one bucket, `datasets`; everything else is absent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.objects: dict[str, bytes] = {}
        self.stated: str | None = None
        """What objects say that their digest is."""
        self.refuses = False
        self.changes = False
        """Whether objects are others by the time that they are got."""
        self.methods: set[str] = set()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Store

    def answer(self) -> None:
        self.server.methods.add(self.command)
        data = self.server.objects.get(self.path)
        if self.server.refuses:
            self.say(403, b"<Error><Code>AccessDenied</Code></Error>")
        elif self.path.rstrip("/") == "/datasets":
            self.say(200, b"")
        elif data is None:
            self.say(404, b"<Error><Code>NoSuchKey</Code></Error>")
        elif self.command == "GET" and self.headers.get("If-Match") != self.tag(data):
            self.say(412, b"<Error><Code>PreconditionFailed</Code></Error>")
        elif self.command == "GET":
            first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
            self.say(206, data[first : last + 1])
        else:
            self.say(200, data, self.tag(data))
            if self.server.changes:
                self.server.objects[self.path] = data[::-1]

    def tag(self, data: bytes) -> str:
        return f'"{sha256_hex(data)[:32]}"'

    def say(self, status: int, body: bytes, tag: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", tag)
        if self.server.stated is not None:
            self.send_header("x-amz-meta-sha256", self.server.stated)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer  # noqa: N815  # names of http.server

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def store() -> Iterator[Store]:
    with Store() as running:
        threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        yield running
        running.shutdown()


@pytest.fixture
def settings(store: Store, tmp_path: Path) -> Settings:
    return Settings(cache_dir=tmp_path / "cache", s3_endpoint=store.endpoint, s3_access_key="a", s3_secret_key="s")


def fetch(settings: Settings, folder: Path, uri: str, sha256: str | None = None) -> bytes:
    resource = BenchmarkResource("rows", uri, sha256=sha256)
    return OtherBuckets(settings, partial(open_bucket, settings)).fetch(resource, folder / "f").read_bytes()


def a_task(adapter: str, **named: object) -> Task:
    choice = BenchmarkChoice(ComponentSpec(adapter, named))
    return Task("ev-1", "acme", Stage.PREPARE, "b-000", PrepareTask(choice))


def test_an_object_is_read_and_nothing_is_made(store: Store, settings: Settings, tmp_path: Path) -> None:
    store.objects["/datasets/a%20set/rows.csv"] = b"question,target\nq?,a\n"
    rows = a_task("rows", path="s3://datasets/a%20set/rows.csv")
    assert prepare_handler(settings).handle(rows, PlainItemContext(tmp_path)).counts["cases"] == 1
    assert store.methods == {"GET", "HEAD"}


def test_an_empty_object_is_an_empty_file(store: Store, settings: Settings, tmp_path: Path) -> None:
    store.objects["/datasets/empty"] = b""
    assert fetch(settings, tmp_path, "s3://datasets/empty") == b""


def test_a_bucket_or_an_object_that_is_not_there_is_named(store: Store, settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"'s3://datasets/x/nope.csv': there is no object 'x/nope.csv' in .*'datas"):
        fetch(settings, tmp_path, "s3://datasets/x/nope.csv")
    with pytest.raises(NotFoundError, match=rf"'s3://nowhere/x.csv': the .* {store.endpoint} has no bucket 'nowhere'"):
        fetch(settings, tmp_path, "s3://nowhere/x.csv")
    assert store.methods == {"HEAD"}
    assert not (tmp_path / "f").exists()


def test_access_that_is_refused_says_what_to_allow(store: Store, settings: Settings, tmp_path: Path) -> None:
    store.refuses = True
    with pytest.raises(InvalidInputError, match=r"refuses access \(AccessDenied\).* to read the bucket 'datasets'"):
        fetch(settings, tmp_path, "s3://datasets/x.csv")


def test_a_store_that_does_not_answer_is_waited_for(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="does not answer"):
        fetch(Settings(s3_endpoint="http://127.0.0.1:9"), tmp_path, "s3://datasets/x.csv")


def test_an_object_that_changes_meanwhile_is_tried_again(store: Store, settings: Settings, tmp_path: Path) -> None:
    store.objects["/datasets/x"], store.changes = b"first", True
    with pytest.raises(UnavailableError, match="'x' was changed while it was read"):
        fetch(settings, tmp_path, "s3://datasets/x")


def test_other_bytes_than_stated_are_refused(store: Store, settings: Settings, tmp_path: Path) -> None:
    store.objects["/datasets/x"] = b"bytes"
    with pytest.raises(InvalidInputError, match="'s3://datasets/x' should have SHA-256 000"):
        fetch(settings, tmp_path / "a", "s3://datasets/x", sha256="0" * 64)
    store.stated = "1" * 64
    with pytest.raises(InvalidInputError, match="'s3://datasets/x' should have SHA-256 111"):
        fetch(settings, tmp_path / "b", "s3://datasets/x")
    store.stated = "another tool's idea of it"
    assert fetch(settings, tmp_path / "c", "s3://datasets/x", sha256=sha256_hex(b"bytes")) == b"bytes"


def test_an_object_that_is_too_large_is_not_read(store: Store, settings: Settings, tmp_path: Path) -> None:
    store.objects["/datasets/x"] = b"12345"
    with pytest.raises(InvalidInputError, match="has 5 bytes; at most 4 are taken"):
        OtherBuckets(settings, partial(open_bucket, settings), max_bytes=4).fetch(
            BenchmarkResource("x", "s3://datasets/x"), tmp_path / "f"
        )
    assert store.methods == {"HEAD"}


def test_a_tokens_file_closes_all_buckets_unless_some_are_opened() -> None:
    assert Settings().readable_buckets is None
    assert Settings(tokens_file="t").readable_buckets == frozenset()
    assert Settings(tokens_file="t", s3_readable_buckets="a-1, b-2,").readable_buckets == frozenset({"a-1", "b-2"})
    assert Settings(s3_readable_buckets="a-1").readable_buckets == frozenset({"a-1"})
    assert Settings(tokens_file="t", s3_readable_buckets="*").readable_buckets is None


def test_a_request_for_a_bucket_that_is_not_opened_is_refused_before_the_store_is_asked(
    store: Store, tmp_path: Path
) -> None:
    settings = Settings(
        cache_dir=tmp_path, tokens_file="t", s3_readable_buckets="open", s3_endpoint=store.endpoint, s3_bucket="own"
    )
    named = {"documents": "s3://closed/d.jsonl", "cases": "s3://open/c.jsonl"}
    with pytest.raises(InvalidInputError) as error:
        check_benchmark(BenchmarkChoice(ComponentSpec("jsonl", named)), settings)
    (fault,) = error.value.violations
    assert fault.field == "jsonl.documents"
    assert "'closed' is none that requests may read (BAKEOFF_S3_READABLE_BUCKETS)" in fault.problem
    with pytest.raises(InvalidInputError, match="BAKEOFF_S3_READABLE_BUCKETS"):
        prepare_handler(settings).handle(a_task("jsonl", **named), PlainItemContext(tmp_path))
    check_benchmark(BenchmarkChoice(ComponentSpec("rows", {"path": "s3://own/inputs/rows.csv"})), settings)
    assert store.methods == set()


def test_data_that_names_a_bucket_that_is_not_opened_is_refused(store: Store, tmp_path: Path) -> None:
    settings = Settings(
        cache_dir=tmp_path / "c", tokens_file="t", s3_readable_buckets="datasets", s3_endpoint=store.endpoint
    )
    store.objects["/closed/secret.txt"] = b"a secret"
    store.objects["/datasets/c.jsonl"] = json.dumps({"id": "c", "question": "q?", "answers": ["a"]}).encode()
    store.objects["/datasets/d.jsonl"] = json.dumps({"id": "d", "source_uri": "s3://closed/secret.txt"}).encode()
    task = a_task("jsonl", documents="s3://datasets/d.jsonl", cases="s3://datasets/c.jsonl")
    item = PlainItemContext(tmp_path)
    with pytest.raises(InvalidInputError, match="'closed' is none that requests may read"):
        prepare_handler(settings).handle(task, item)
    assert list(item.objects.list("")) == []


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("s3://..//bakeoff/evaluations/e/plan.json", "'..' is no name of a bucket"),
        ("s3://Bakeoff/evaluations/e/plan.json", "'Bakeoff' is no name of a bucket"),
        ("s3://a..b/x", "'a..b' is no name of a bucket"),
        ("s3://user@bakeoff:80/x", "'user@bakeoff:80' is no name of a bucket"),
        ("s3:///x", "'' is no name of a bucket"),
        ("s3://datasets/", "names no object"),
        ("s3://datasets/a?versionId=1", "write %3F"),
        ("s3://datasets/../bakeoff/evaluations/e/plan.json", "has a segment . or .."),
        ("s3://datasets/%2e%2e/bakeoff/x", "has a segment . or .."),
    ],
)
def test_addresses_that_could_lead_elsewhere_are_refused(
    store: Store, settings: Settings, tmp_path: Path, uri: str, problem: str
) -> None:
    with pytest.raises(InvalidInputError) as error:
        fetch(settings, tmp_path, uri)
    assert problem in str(error.value)
    assert store.methods == set()
