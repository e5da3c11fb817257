"""Reading the documents of a unit out of raw storage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.answer import Span
from bakeoff.domain.errors import DigestMismatchError, InvalidInputError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.prepared import PreparedDocument, PreparedUnit
from bakeoff.knowledge import inputs
from bakeoff.knowledge.inputs import source_documents
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.shelf import Shelf
from bakeoff.runtime.memory_objects import MemoryObjects
from tests.unit.knowledge.stored_benchmark import Doc, StoredBenchmark, a_stored_benchmark


@dataclass
class Counted:
    """A store that counts what is read of it."""

    objects: MemoryObjects
    whole: Counter[str] = field(default_factory=Counter)
    ranges: list[tuple[int, int]] = field(default_factory=list)

    def read(self, ref: ObjectRef) -> bytes:
        self.whole[ref.key] += 1
        return self.objects.read(ref)

    def read_range(self, key: str, start: int, stop: int) -> bytes:
        self.ranges.append((start, stop))
        return self.objects.read_range(key, start, stop)


def documents_of(benchmark: StoredBenchmark) -> list[PreparedDocument]:
    return list(PreparedReader.open(benchmark.objects, benchmark.ref).documents())


def read(
    benchmark: StoredBenchmark, documents: Sequence[PreparedDocument], objects: object = None
) -> list[SourceDocument]:
    originals = {original.original_id: original for original in benchmark.ingested}
    return list(source_documents(documents, originals, objects or benchmark.objects))  # type: ignore[arg-type]


def test_documents_come_in_their_order_with_their_bytes_and_provenance() -> None:
    benchmark = a_stored_benchmark(
        Doc("a", b"one\n", original_id="file"), Doc("b", b"alone"), Doc("c", b"two\n", original_id="file")
    )

    a, b, c = read(benchmark, documents_of(benchmark))

    assert (a.data, b.data, c.data) == (b"one\n", b"alone", b"two\n")
    assert (a.raw_bytes, b.raw_bytes, c.raw_bytes) == (Span(0, 4), None, Span(4, 8))
    file, alone = benchmark.ingested
    assert [each.raw_key for each in (a, b, c)] == [file.raw_key, alone.raw_key, file.raw_key]
    assert [each.raw_sha256 for each in (a, b, c)] == [file.sha256, alone.sha256, file.sha256]


def test_each_original_is_read_once_though_many_are_read_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "AHEAD_BYTES", 20)
    docs = [Doc(f"d{n}", b"x" * 8, original_id=f"f{n % 7}" if n % 2 else "") for n in range(100)]
    benchmark = a_stored_benchmark(*docs)
    objects = Counted(benchmark.objects)

    found = read(benchmark, documents_of(benchmark), objects)

    assert [each.document_id for each in found] == [doc.document_id for doc in docs]
    assert set(objects.whole.values()) == {1}
    assert len(objects.whole) == len(benchmark.ingested)


def test_of_a_large_original_only_what_is_wanted_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "REQUEST_BYTES", 50)
    docs = [Doc(f"d{n}", b"%04d-----\n" % n, original_id="file") for n in range(1000)]
    benchmark = a_stored_benchmark(*docs)
    objects = Counted(benchmark.objects)
    wanted = [documents_of(benchmark)[number] for number in (3, 4, 7, 500)]

    found = read(benchmark, wanted, objects)

    assert [each.data for each in found] == [docs[number].data for number in (3, 4, 7, 500)]
    assert objects.ranges == [(30, 80), (5000, 5010)]  # 5 to 6 is nearer than a request costs
    assert not objects.whole


def test_a_range_with_other_bytes_than_were_prepared_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "REQUEST_BYTES", 1)
    benchmark = a_stored_benchmark(Doc("a", b"one\n", original_id="file"), Doc("b", b"two\n" * 9, original_id="file"))
    [original] = benchmark.ingested
    benchmark.objects.delete(original.raw_key)
    benchmark.objects.create(original.raw_key, b"0ne\n" + b"two\n" * 9)

    with pytest.raises(DigestMismatchError, match="'a'"):
        read(benchmark, documents_of(benchmark)[:1])


def test_a_document_that_reaches_beyond_its_original_is_named() -> None:
    benchmark = a_stored_benchmark(Doc("a", b"one\n", original_id="file"))
    [document] = documents_of(benchmark)
    assert document.span is not None

    with pytest.raises(InvalidInputError, match=r"'a' is bytes 0 to 9 of its original, which ends at 4"):
        read(benchmark, [replace(document, span=replace(document.span, stop=9))])


def test_a_unit_of_all_documents_takes_them_in_the_adapters_order() -> None:
    benchmark = a_stored_benchmark(Doc("a", b"1"), Doc("b", b"2"), Doc("c", b"3"))
    prepared = Shelf().benchmark(benchmark.objects, benchmark.ref)

    originals = {original.original_id: original for original in benchmark.ingested}

    def ids(unit: PreparedUnit) -> list[str]:
        return [
            each.document_id for lot in prepared.lots_of(unit, originals, benchmark.objects) for each in lot.origins
        ]

    assert ids(benchmark.unit) == ["a", "b", "c"]
    with pytest.raises(InvalidInputError, match="'u1' names the unknown document 'z'"):
        ids(replace(benchmark.unit, document_ids=("z",)))
    with pytest.raises(InvalidInputError, match="'b' has no unit 'u2'"):
        prepared.unit("u2")
