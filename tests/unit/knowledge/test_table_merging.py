"""One table of many lots: it says the same as a table of one."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from bakeoff.domain.answer import Span
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import BuildPart
from bakeoff.knowledge import lots
from bakeoff.knowledge.arrays import Blocks, read_arrays, write_arrays
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument
from bakeoff.knowledge.registries import parsers
from bakeoff.knowledge.search import KnowledgeBase, open_knowledge_base
from bakeoff.knowledge.structure import Table, TableRow

PART = BuildPart(ComponentSpec("structured_for_tests"), ComponentSpec("tokens", {"size": 3}))


@parsers.register("structured_for_tests")
def structured_for_tests() -> Parser:
    """Give pages, printed labels and a table to documents whose text says so."""

    def parse(source: SourceDocument) -> ParsedDocument:
        text = source.data.decode()
        half = len(text) // 2
        pages = (Span(0, half), Span(half, len(text))) if "paged" in text else None
        labels = (f"{source.name}-i", f"{source.name}-ii") if "labelled" in text else None
        rows = (TableRow(0, 0, half, (0, 4)), TableRow(1, half, len(text), (half,)))
        tables = (Table(f"t-{source.name}", ("light", "größe"), rows),) if "tabular" in text else ()
        return ParsedDocument(text, pages, labels, (), tables)

    return parse


def passages(opened: KnowledgeBase) -> list[object]:
    return [opened.passage(chunk, with_text=True) for chunk in range(opened.tables.chunks)]


@pytest.mark.parametrize("kinds", [("plain",), ("plain", "paged"), ("plain", "paged labelled", "tabular", "paged")])
@pytest.mark.parametrize("most", [1, 3])
def test_many_lots_give_the_passages_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kinds: tuple[str, ...], most: int
) -> None:
    rng = random.Random(len(kinds))
    documents = [
        SourceDocument(f"d{n}", f"{rng.choice(kinds)} größer als {n} lights of the pier".encode(), name=f"n{n}")
        for n in range(25)
    ]
    documents.insert(7, SourceDocument("empty", b" "))
    build_knowledge_base(documents, PART, tmp_path / "one")
    monkeypatch.setattr(lots, "MOST_DOCUMENTS", most)
    build_knowledge_base(documents, PART, tmp_path / "many")

    one, many = open_knowledge_base(tmp_path / "one"), open_knowledge_base(tmp_path / "many")

    assert one.tables.chunks == many.tables.chunks > 50
    assert passages(one) == passages(many)


def test_an_array_in_blocks_is_written_like_one_at_once(tmp_path: Path) -> None:
    whole = np.arange(24, dtype=np.int64).reshape(12, 2)
    blocks = Blocks(whole.dtype, whole.shape, lambda: (whole[:5].astype(np.int32), whole[5:5], whole[5:]))

    write_arrays(tmp_path / "1", {"a": whole}, {})
    write_arrays(tmp_path / "2", {"a": blocks}, {})

    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert read_arrays(tmp_path / "2")[0]["a"].tolist() == whole.tolist()


def test_blocks_that_are_not_their_array_are_refused(tmp_path: Path) -> None:
    short = Blocks(np.dtype(np.int64), (3,), lambda: (np.zeros(2, np.int64),))

    with pytest.raises(ValueError, match="the blocks of a have 16 bytes, not 24"):
        write_arrays(tmp_path / "1", {"a": short}, {})
