"""Benchmarks in a bucket of a real store that is not the platform's own: read as they are, and nothing is made."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
from minio import Minio

from bakeoff.domain.benchmark import BenchmarkChoice, BenchmarkResource
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import PrepareTask, Task
from bakeoff.preparation.check import check_benchmark
from bakeoff.preparation.download import Progress
from bakeoff.preparation.handlers import prepare_handler
from bakeoff.preparation.other_buckets import OtherBuckets
from bakeoff.runtime.connect import open_bucket
from bakeoff.runtime.s3_objects import S3Objects
from bakeoff.runtime.s3_server import S3Server
from bakeoff.runtime.settings import Settings
from tests.builders.items import PlainItemContext

SERVICE = ("preparation-key", "preparation-secret")
LARGE = bytes(range(256)) * (70 << 10)
"""17.5 MiB: written in parts, and read in pieces."""


def others_of(settings: Settings, progress: Progress = lambda resource, there, total: None) -> OtherBuckets:
    return OtherBuckets(settings, partial(open_bucket, settings), progress)


def lines(*records: dict[str, object]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def beir_archive() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("mine/corpus.jsonl", lines({"_id": "d", "title": "t", "text": "words"}))
        archive.writestr("mine/queries.jsonl", lines({"_id": "q", "text": "words?"}))
        archive.writestr("mine/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n")
    return data.getvalue()


@dataclass(frozen=True)
class Place:
    """A store with the platform's bucket and another one."""

    settings: Settings
    admin: Minio

    def buckets(self) -> set[str]:
        return {bucket.name for bucket in self.admin.list_buckets()}

    def objects(self) -> set[tuple[str | None, str | None]]:
        return {(each.object_name, each.etag) for each in self.admin.list_objects("datasets", recursive=True)}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("buckets")
    with S3Server(folder / "s3", services={"preparation": SERVICE}) as server:
        admin = Minio(
            server.endpoint.removeprefix("http://"),
            server.access_key,
            server.secret_key,
            secure=False,
            region=server.region,
        )
        admin.make_bucket("datasets")
        written = {
            "rows.csv": b"question,target\nq?,a\n",
            "sets/mine.zip": beir_archive(),
            "ours/documents.jsonl": lines({"id": "d", "source_uri": "s3://datasets/ours/a%20b.txt"}),
            "ours/a b.txt": b"words",
            "ours/cases.jsonl": lines({"id": "c", "question": "q?", "answers": ["a"]}),
        }
        for key, data in written.items():
            admin.put_object("datasets", key, io.BytesIO(data), len(data))
        (folder / "large").write_bytes(LARGE)
        opened = S3Objects.connect(
            server.endpoint, server.access_key, server.secret_key, "datasets", server.region, create_bucket=False
        )
        opened.create_from_file("large.bin", folder / "large")
        opened.close()
        settings = Settings(
            cache_dir=folder / "cache",
            s3_endpoint=server.endpoint,
            s3_access_key=server.access_key,
            s3_secret_key=server.secret_key,
            s3_bucket=server.bucket,
            s3_region=server.region,
            tokens_file="tokens.json",
            s3_readable_buckets="datasets,nowhere",
        )
        yield Place(settings, admin)


@pytest.mark.parametrize(
    "spec",
    [
        ComponentSpec("rows", {"path": "s3://datasets/rows.csv"}),
        ComponentSpec("beir", {"path": "s3://datasets/sets/mine.zip"}),
        ComponentSpec(
            "jsonl",
            {"documents": "s3://datasets/ours/documents.jsonl", "cases": "s3://datasets/ours/cases.jsonl"},
        ),
    ],
    ids=lambda spec: spec.name,
)
def test_a_benchmark_in_another_bucket_is_prepared_and_the_bucket_is_as_before(
    place: Place, tmp_path: Path, spec: ComponentSpec
) -> None:
    before = place.buckets(), place.objects()
    choice = BenchmarkChoice(spec)
    check_benchmark(choice, place.settings)
    task = Task("ev-1", "acme", Stage.PREPARE, "b-000", PrepareTask(choice))
    result = prepare_handler(place.settings).handle(task, PlainItemContext(tmp_path))
    assert result.counts == {"documents": 0 if spec.name == "rows" else 1, "cases": 1}
    assert (place.buckets(), place.objects()) == before


def test_a_large_object_is_read_whole(place: Place, tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    others = others_of(place.settings, lambda resource, there, total: told.append((there, total)))
    path = others.fetch(BenchmarkResource("large", "s3://datasets/large.bin"), tmp_path / "f")
    assert path.read_bytes() == LARGE
    assert told == [(8 << 20, len(LARGE)), (16 << 20, len(LARGE)), (len(LARGE), len(LARGE))]


def test_what_is_not_there_or_not_allowed_is_told_and_no_bucket_is_made(place: Place, tmp_path: Path) -> None:
    before = place.buckets()
    others = others_of(place.settings)
    with pytest.raises(NotFoundError, match="has no bucket 'nowhere'"):
        others.fetch(BenchmarkResource("rows", "s3://nowhere/rows.csv"), tmp_path / "f")
    with pytest.raises(NotFoundError, match=r"there is no object 'nope.csv' in the bucket 'datasets'"):
        others.fetch(BenchmarkResource("rows", "s3://datasets/nope.csv"), tmp_path / "f")
    own_key = replace(place.settings, s3_access_key=SERVICE[0], s3_secret_key=SERVICE[1])
    with pytest.raises(InvalidInputError, match=r"refuses access \(AccessDenied\).* to read the bucket 'datasets'"):
        others_of(own_key).fetch(BenchmarkResource("rows", "s3://datasets/rows.csv"), tmp_path / "f")
    assert place.buckets() == before
