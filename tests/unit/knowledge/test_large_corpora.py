"""Corpora that are too large for memory: what a build holds does not grow with them."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.contract import stored
from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.prepared import PreparedDocument
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge import inputs, lots, shelf
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.claims import OwnClaims
from bakeoff.knowledge.document_rows import PARTS_AT_HAND, DocumentRows
from bakeoff.knowledge.handlers import build_handler
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.publishing import Resources
from bakeoff.knowledge.stages import SharedStages
from tests.unit.knowledge.stored_benchmark import Doc, StoredBenchmark, a_stored_benchmark

ROWS = 20
"""Documents in a part."""
LOT = 8


@pytest.fixture(autouse=True)
def small_lots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lots, "LEAST_DOCUMENTS", LOT)
    monkeypatch.setattr(lots, "MOST_DOCUMENTS", LOT)


def corpus(count: int) -> StoredBenchmark:
    docs = [Doc(f"d{n}", f"passage {n} of w{n % 7}\n".encode(), original_id="file") for n in range(count)]
    return a_stored_benchmark(*docs, rows_per_part=ROWS)


def built(benchmark: StoredBenchmark, folder: Path) -> bytes:
    shared = Resources(benchmark.objects, SharedStages(benchmark.objects, OwnClaims()))
    return build_handler(None, shared).handle(benchmark.task(), benchmark.context(folder)).data


def rows(benchmark: StoredBenchmark) -> DocumentRows:
    return DocumentRows(PreparedReader.open(benchmark.objects, benchmark.ref))


def test_a_build_holds_no_more_than_a_few_parts_of_its_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "KEPT_DOCUMENTS", 0)
    benchmark = corpus(500)
    context = benchmark.context(tmp_path)
    gc.collect()
    before = prepared_documents()
    held: list[int] = []
    monkeypatch.setattr(type(context), "begin", lambda *_: held.append(prepared_documents()))

    build_handler(None, Resources(benchmark.objects, SharedStages(benchmark.objects, OwnClaims()))).handle(
        benchmark.task(), context
    )

    assert len(held) > 2 * 500 / LOT  # it goes through them twice where artefacts are shared
    assert max(held) - before <= (PARTS_AT_HAND + 1) * ROWS + 2 * LOT


def prepared_documents() -> int:
    return sum(type(each) is PreparedDocument for each in gc.get_objects())


def test_documents_that_are_read_part_by_part_give_the_same_knowledge_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = built(corpus(150), tmp_path / "kept")
    monkeypatch.setattr(shelf, "KEPT_DOCUMENTS", 0)

    assert built(corpus(150), tmp_path / "by part") == kept


def test_a_build_has_few_files_open_however_many_lots_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_files: Callable[[], int]
) -> None:
    monkeypatch.setattr(lots, "LARGE_BYTES", 1)  # each document is a lot of its own
    before, most = open_files(), 0

    def step() -> None:
        nonlocal most
        most = max(most, open_files() - before)

    documents = [SourceDocument(f"d{n}", f"document {n}".encode(), "text/plain") for n in range(100)]
    outcome = build_knowledge_base(documents, BuildPart(), tmp_path / "kb", step=step)

    assert outcome.chunks == 100
    assert most <= 10


@pytest.fixture
def open_files() -> Callable[[], int]:
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        pytest.skip("only Linux tells what is open")
    return lambda: len(list(folder.iterdir()))


def test_a_document_too_large_to_be_parsed_is_told_and_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "LARGEST_BYTES", 20)
    docs = [Doc("a", b"the mole is granite"), Doc("large", b"x" * 21), Doc("b", b"a light", original_id="f")]
    benchmark = a_stored_benchmark(*docs, Doc("large too", b"y" * 999, original_id="f"))
    benchmark.objects.delete(benchmark.ingested[1].raw_key)  # so that reading it would fail

    manifest = stored.decode(built(benchmark, tmp_path), KnowledgeBaseManifest)

    assert manifest.documents == 2
    assert [(each.document_id, each.failure and each.failure.reason) for each in manifest.skipped] == [
        ("large", "document 'large' cannot be read: it has 21 bytes; at most 20 are parsed as one document"),
        ("large too", "document 'large too' cannot be read: it has 999 bytes; at most 20 are parsed as one document"),
    ]


def test_documents_in_parts_are_a_sequence_like_any_other() -> None:
    benchmark = corpus(3 * ROWS + 7)
    expected = list(PreparedReader.open(benchmark.objects, benchmark.ref).documents())
    found = rows(benchmark)

    assert len(found) == len(expected)
    assert list(found) == expected
    for part in (slice(0, 5), slice(ROWS - 3, ROWS + 3), slice(ROWS, 3 * ROWS + 1), slice(60, 99), slice(4, 4)):
        assert found[part] == tuple(expected[part])
    assert found[-1] == expected[-1]
    with pytest.raises(IndexError):
        found[len(expected)]


def test_a_part_that_is_gone_or_too_short_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = corpus(2 * ROWS + 1)
    found = rows(benchmark)
    read = PreparedReader.document_part
    monkeypatch.setattr(PreparedReader, "document_part", lambda self, part: read(self, part)[: ROWS - 1])
    with pytest.raises(InvalidInputError, match="part 1 of the documents of 'b' has 19 rows, not 20"):
        found[ROWS]
    monkeypatch.undo()

    benchmark.objects.delete(PreparedReader.open(benchmark.objects, benchmark.ref).manifest.document_parts[2].key)
    with pytest.raises(NotFoundError):
        rows(benchmark)[2 * ROWS]


def test_a_benchmark_without_documents_is_an_empty_row() -> None:
    assert list(rows(a_stored_benchmark())) == []
