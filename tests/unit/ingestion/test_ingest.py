"""Originals on their way to raw storage."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.contract import object_keys, stored
from bakeoff.domain.benchmark import BenchmarkManifest
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import DigestMismatchError, InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import ObjectRef, Stage
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.prepared import IngestedOriginal, PreparedManifest, PreparedOriginal
from bakeoff.domain.work import IngestTask, Task
from bakeoff.ingestion import core
from bakeoff.ingestion.core import ingest
from bakeoff.ingestion.handlers import ingest_handler
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.objects import OCTETS, Created
from tests.builders.items import PlainItemContext

HARBOUR = BenchmarkManifest("harbour", "1", "test", "retrieval")
REF = ObjectRef("k", "0" * 64, 1)


def an_original(objects: MemoryObjects, original_id: str = "a/b.md", data: bytes = b"# Tides") -> PreparedOriginal:
    """Return an original whose bytes wait in the store."""
    sha256 = sha256_hex(data)
    objects.create(object_keys.blob(sha256), data)
    name = original_id.split("/")[-1]
    return PreparedOriginal(original_id, name, "text/markdown", sha256, len(data), object_keys.blob(sha256))


def test_an_original_goes_to_its_published_key(tmp_path: Path) -> None:
    objects = MemoryObjects()
    (found,) = ingest(HARBOUR, [an_original(objects)], objects=objects, scratch=tmp_path)
    key = "raw/benchmarks/harbour/test/a=2Fb.md/b.md"
    assert found == IngestedOriginal("a/b.md", key, sha256_hex(b"# Tides"), 7, "text/markdown")
    assert objects.read_key(key) == b"# Tides"
    info = objects.stat(key)
    assert info is not None
    assert info.media_type == "text/markdown"


class Counting(MemoryObjects):
    """Counts what is written."""

    writes = 0

    def create(self, key: str, data: bytes, *, media_type: str = OCTETS) -> Created:
        self.writes += 1
        return super().create(key, data, media_type=media_type)


def test_ingesting_again_changes_and_writes_nothing(tmp_path: Path) -> None:
    objects = Counting()
    originals = [an_original(objects, f"d{number}", b"%d" % number) for number in range(20)]
    first = ingest(HARBOUR, originals, objects=objects, scratch=tmp_path)
    before = objects.writes
    assert ingest(HARBOUR, originals, objects=objects, scratch=tmp_path) == first
    assert objects.writes == before


def test_the_order_is_that_of_the_originals(tmp_path: Path) -> None:
    objects = MemoryObjects()
    originals = [an_original(objects, f"d{number}", b"x" * (50 - number)) for number in range(50)]
    found = ingest(HARBOUR, originals, objects=objects, scratch=tmp_path)
    assert [each.original_id for each in found] == [f"d{number}" for number in range(50)]


def test_when_other_bytes_have_the_key_it_goes_to_another_and_both_are_kept(tmp_path: Path) -> None:
    objects = MemoryObjects()
    old, new = an_original(objects, data=b"old"), an_original(objects, data=b"new")
    (first,) = ingest(HARBOUR, [old], objects=objects, scratch=tmp_path)
    (second,) = ingest(HARBOUR, [new], objects=objects, scratch=tmp_path)
    assert second.raw_key == f"raw/benchmarks/harbour/test/a=2Fb.md/sha256-{sha256_hex(b'new')[:16]}/b.md"
    assert (objects.read_key(first.raw_key), objects.read_key(second.raw_key)) == (b"old", b"new")
    assert ingest(HARBOUR, [new], objects=objects, scratch=tmp_path) == (second,)


def test_large_originals_go_by_way_of_the_disk_and_leave_nothing_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "IN_MEMORY_BYTES", 3)
    objects = MemoryObjects()
    (found,) = ingest(HARBOUR, [an_original(objects)], objects=objects, scratch=tmp_path)
    assert objects.read_key(found.raw_key) == b"# Tides"
    assert list(tmp_path.iterdir()) == []


def test_bytes_that_are_gone_are_not_found_but_only_if_they_are_needed(tmp_path: Path) -> None:
    objects = MemoryObjects()
    original = an_original(objects)
    done = ingest(HARBOUR, [original], objects=objects, scratch=tmp_path)
    objects.delete(original.blob_key)
    assert ingest(HARBOUR, [original], objects=objects, scratch=tmp_path) == done
    objects.delete(done[0].raw_key)
    with pytest.raises(NotFoundError):
        ingest(HARBOUR, [original], objects=objects, scratch=tmp_path)


def test_bytes_that_are_others_than_prepared_are_refused(tmp_path: Path) -> None:
    objects = MemoryObjects()
    original = an_original(objects)
    objects.delete(original.blob_key)
    objects.create(original.blob_key, b"damaged")
    with pytest.raises(DigestMismatchError):
        ingest(HARBOUR, [original], objects=objects, scratch=tmp_path)
    assert list(objects.list("raw/")) == []


def a_prepared_benchmark(objects: MemoryObjects) -> ObjectRef:
    """Store the manifest of a benchmark with two parts of one original."""
    parts = [stored.encode((an_original(objects, f"d{number}", b"%d" % number),)) for number in range(2)]
    refs = tuple(
        objects.create(object_keys.prepared_part("f" * 64, "originals", number), part).ref
        for number, part in enumerate(parts)
    )
    manifest = PreparedManifest("f" * 64, HARBOUR, ComponentSpec("beir"), "1", (), 2, 2, 1, refs, (), (), 500, REF, REF)
    return objects.create(object_keys.prepared_manifest("f" * 64), stored.encode(manifest)).ref


def a_task(prepared: ObjectRef, part: int) -> Task:
    return Task("ev-1", "default", Stage.INGEST, f"i-{part}", IngestTask(prepared, part))


def test_an_item_ingests_its_part_and_says_where_each_original_is(tmp_path: Path) -> None:
    context = PlainItemContext(tmp_path)
    handler, task = ingest_handler(), a_task(a_prepared_benchmark(context.objects), 1)
    result = handler.handle(task, context)
    (found,) = stored.decode(result.data, tuple[IngestedOriginal, ...])
    assert (found.original_id, context.objects.read_key(found.raw_key)) == ("d1", b"1")
    assert result.counts == {"originals": 1, "bytes": 1}


def test_the_key_of_the_result_is_told_by_the_task_alone() -> None:
    task = a_task(ObjectRef(object_keys.prepared_manifest("f" * 64), "0" * 64, 1), 3)
    assert ingest_handler().result_key(task) == object_keys.ingested_part("f" * 64, 3)


def test_a_reference_to_something_else_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="is no key of a prepared benchmark"):
        ingest_handler().result_key(a_task(ObjectRef("kb/x/manifest.json", "0" * 64, 1), 0))


def test_a_part_that_is_not_there_is_refused(tmp_path: Path) -> None:
    context = PlainItemContext(tmp_path)
    with pytest.raises(InvalidInputError, match="part 2 of the originals was asked for; there are 2"):
        ingest_handler().handle(a_task(a_prepared_benchmark(context.objects), 2), context)
