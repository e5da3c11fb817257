"""Where a passage is in its document: printed pages, rows and columns of tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bakeoff.contract.codec import answers as codec
from bakeoff.domain.answer import Passage, Span, TablePlace
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.ranking import Ranking
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.build import build_knowledge_base
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.places import label_of, parts_of
from bakeoff.knowledge.search import open_knowledge_base
from bakeoff.knowledge.structure import HEADER, Table, TableRow
from tests.unit.knowledge.office_files import an_xlsx
from tests.unit.knowledge.pdf_files import a_pdf

WORDS = QueryMode("words", ComponentSpec("full_text_search"), 20)
#        0         1         2
#        0123456789012345678901234567
TEXT = "ab | cd\n12 | 34\n56 | 78"
TABLE = Table(
    "t", ("ab", "cd"), (TableRow(HEADER, 0, 7, (0, 5)), TableRow(0, 8, 15, (8, 13)), TableRow(2, 16, 23, (16, 21)))
)


def found(tmp_path: Path, chunker: str, *documents: SourceDocument) -> dict[str, Passage]:
    part = BuildPart(chunker=ComponentSpec.parse(chunker))
    build_knowledge_base(documents, part, tmp_path / "kb")
    [passages] = open_knowledge_base(tmp_path / "kb").search(["mole"], WORDS, text_ranks=20)
    assert isinstance(passages, tuple)
    return {passage.chunk_id: passage for passage in passages}


@pytest.mark.parametrize(
    ("chunk", "part"),
    [
        ((0, 23), (0, 3, 0, 2)),  # from the first number to the last: row 1 is blank
        ((0, 7), (0, 0, 0, 2)),  # the names alone
        ((5, 12), (0, 1, 0, 2)),
        ((8, 15), (0, 1, 0, 2)),
        ((8, 10), (0, 1, 0, 1)),
        ((13, 15), (0, 1, 1, 2)),
        ((14, 18), (0, 3, 0, 2)),
        ((21, 30), (2, 3, 1, 2)),
    ],
)
def test_a_chunk_holds_the_rows_and_columns_that_it_touches(chunk: tuple[int, int], part: tuple[int, ...]) -> None:
    assert parts_of(TABLE, [chunk]) == [(0, part)]


def test_chunks_beside_a_table_hold_nothing_of_it() -> None:
    moved = Table("t", (), (TableRow(0, 10, 15, (10,)),))

    assert parts_of(moved, [(0, 10), (5, 12), (12, 14), (15, 20)]) == [(1, (0, 1, 0, 1)), (2, (0, 1, 0, 1))]


@pytest.mark.parametrize(
    ("pages", "label"),
    [((0, 1), "iv"), ((0, 2), "iv–1"), ((1, 3), "1"), ((2, 3), ""), ((-1, -1), ""), ((0, 9), "")],
)
def test_pages_are_told_by_the_first_and_last_that_is_printed(pages: tuple[int, int], label: str) -> None:
    assert label_of(pages, ("iv", "1", "")) == label


def test_a_passage_says_what_is_printed_on_its_pages(tmp_path: Path) -> None:
    pdf = a_pdf(["mole one", "mole two", "mole three"], labels="0 << /S /r >> 1 << /S /D >>")
    passages = found(
        tmp_path,
        "tokens(size=4)",
        SourceDocument("a", b"a mole without pages"),
        SourceDocument("b", pdf),
        SourceDocument("c", a_pdf(["a mole without labels"])),
    )

    told = {name: (passage.pages, passage.page_label) for name, passage in passages.items()}
    assert told == {
        "a#0": (None, ""),
        "b#0": (Span(0, 2), "i–1"),
        "b#1": (Span(2, 3), "2"),
        "c#0": (Span(0, 1), ""),
    }


def test_a_passage_says_which_rows_of_which_table_it_holds(tmp_path: Path) -> None:
    stones = an_xlsx({"Quay": [["stone", "tons"], ["mole a", 1], [], ["mole b", 2]], "Pier": [["mole", "x"], ["y"]]})
    passages = found(
        tmp_path,
        "table_rows",
        SourceDocument("a", b"a mole"),
        SourceDocument("b", stones),
        SourceDocument("c", b"stone,tons\nmole c,3\n", "text/csv"),
    )

    assert {name: passage.tables for name, passage in passages.items()} == {
        "a#0": (),
        "b#1": (TablePlace("Quay", Span(0, 1), Span(0, 2), ("stone", "tons")),),
        "b#2": (TablePlace("Quay", Span(2, 3), Span(0, 2), ("stone", "tons")),),
        "b#4": (TablePlace("Pier", Span(0, 1), Span(0, 1), ("mole",)),),
        "c#0": (TablePlace("0", Span(0, 1), Span(0, 2), ("stone", "tons")),),
    }
    assert passages["b#2"].text == "stone: mole b; tons: 2"


def test_places_are_the_same_behind_the_wire_and_by_columns(tmp_path: Path) -> None:
    pdf = SourceDocument("b", a_pdf(["mole one"], labels="0 << /S /r >>"))
    table = SourceDocument("c", b"stone,tons\nmole c,3\n", "text/csv")
    passages = tuple(found(tmp_path, "none", SourceDocument("a", b"mole"), pdf, table).values())

    assert tuple(codec.passage_from_wire(codec.passage_to_wire(each)) for each in passages) == passages
    ranking = Ranking.of(passages)
    assert ranking == passages
    assert codec.ranking_from_wire(codec.ranking_to_wire(ranking), ranking.sources) == passages


def test_a_document_without_pages_does_not_get_those_of_the_one_before(tmp_path: Path) -> None:
    before = SourceDocument("a", a_pdf(["mole"] * 9))
    passages = found(tmp_path, "page", before, SourceDocument("b", b"a mole without pages"))

    assert passages["a#8"].pages == Span(8, 9)
    assert passages["b#0"].pages is None


@pytest.mark.parametrize("chunker", ["page", "tokens(size=7, overlap=3)", "recursive(max_tokens=5)", "sentences"])
def test_every_page_of_a_long_document_is_found_and_the_last_one_is_the_last(tmp_path: Path, chunker: str) -> None:
    build_knowledge_base(
        [SourceDocument("a", a_pdf([f"mole number {page} of a long file." for page in range(381)]))],
        BuildPart(chunker=ComponentSpec.parse(chunker)),
        tmp_path / "kb",
    )
    opened = open_knowledge_base(tmp_path / "kb")
    passages = [opened.passage(chunk, with_text=True) for chunk in range(opened.tables.chunks)]

    spans = [passage.pages for passage in passages]
    assert all(span is not None for span in spans)
    assert {page for span in spans if span for page in range(span.start, span.stop)} == set(range(381))
    assert spans[-1] is not None
    assert spans[-1].stop == 381
    for passage in passages:
        assert passage.pages is not None
        named = {int(number) for number in re.findall(r"number (\d+) of", passage.text or "")}
        assert named <= set(range(passage.pages.start, passage.pages.stop))
