"""Chunkers: what all of them promise, and what each does."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.domain.answer import Span
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.chunking import tokens_of
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.registries import chunkers
from bakeoff.knowledge.structure import HEADER, Heading, Table, TableRow

SPECS = [
    "none",
    "tokens",
    "tokens(size=1)",
    "tokens(size=3, overlap=2)",
    "sentences",
    "sentences(max_tokens=1, overlap=3)",
    "sentences(max_tokens=7, overlap=1)",
    "sentences(max_tokens=12, overlap=2)",
    "recursive",
    "recursive(max_tokens=1)",
    "recursive(max_tokens=6)",
    "recursive(max_tokens=7, overlap=6)",
    "page",
    "page(max_tokens=5)",
    "headings",
    "headings(depth=1)",
    "headings(max_tokens=4)",
    "table_rows",
    "table_rows(rows=3)",
    "table_rows(rows=2, max_tokens=3)",
]
texts = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="ab. !?\n\"'A中。é", max_size=120),
    st.lists(st.sampled_from(["Dr.", "J.", "e.g.", "ends.", "a", "Quay", "3.5", "\n\n", "“so”", "。"])).map(" ".join),
    st.text(alphabet="x\u0e01", min_size=60, max_size=300),  # a giant word, Thai too
    st.lists(st.sampled_from(["# a", "## b", "```", "text here.", "", "| 1 | 2 |", "港口关闭了"])).map("\n".join),
)


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    """Draw a text with pages, headings and tables at any places, as a bad parser might give them."""
    text = draw(texts)
    places = st.lists(st.integers(0, len(text)), max_size=12).map(sorted)
    pages = [Span(*pair) for pair in pairwise(draw(places))]
    headings = tuple(Heading(start, draw(st.integers(1, 3))) for start in draw(places))
    tables = tuple(
        Table(str(number), (), tuple(TableRow(row, *pair, (pair[0],)) for row, pair in enumerate(pairwise(ends), -1)))
        for number, ends in enumerate(draw(st.lists(places, max_size=2)))
        if len(ends) > 1
    )
    return ParsedDocument(text, tuple(pages) or None, None, headings, tables)


def cut(spec: str, text: str) -> list[str]:
    return [text[start:stop] for start, stop in chunkers.load().make(ComponentSpec.parse(spec))(ParsedDocument(text))]


def test_every_chunker_of_the_registry_is_held_to_the_promises() -> None:
    assert {ComponentSpec.parse(spec).name for spec in SPECS} == {
        name for name in chunkers.load().names() if not name.endswith("_for_tests")
    }


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=150, deadline=None)
@given(document=documents())
def test_chunks_are_in_order_never_empty_and_cover_the_text(spec: str, document: ParsedDocument) -> None:
    text = document.text
    spans = chunkers.load().make(ComponentSpec.parse(spec))(document)

    assert all(0 <= start < stop <= len(text) and text[start:stop].strip() for start, stop in spans)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(spans))
    covered = {place for start, stop in spans for place in range(start, stop)}
    assert all(character.isspace() or place in covered for place, character in enumerate(text))


@pytest.mark.parametrize("spec", SPECS)
def test_a_text_of_white_space_has_no_chunk(spec: str) -> None:
    assert cut(spec, "") == cut(spec, " \n\t\u2003") == []


@settings(max_examples=150, deadline=None)
@given(text=texts, size=st.integers(1, 9), overlap=st.integers(0, 8))
def test_token_chunks_have_their_size_and_share_their_overlap(text: str, size: int, overlap: int) -> None:
    if overlap >= size:
        return
    spans = chunkers.load().make(ComponentSpec("tokens", {"size": size, "overlap": overlap}))(ParsedDocument(text))
    counts = [len(tokens_of(text, *span)) for span in spans]

    assert all(count == size for count in counts[:-1])
    shared = [len(tokens_of(text, other[0], one[1])) for one, other in pairwise(spans)]
    assert all(count == overlap for count in shared)


@settings(max_examples=150, deadline=None)
@given(text=texts, most=st.integers(1, 9), overlap=st.integers(0, 3))
def test_sentence_chunks_hold_no_more_than_they_may(text: str, most: int, overlap: int) -> None:
    spans = chunkers.load().make(ComponentSpec("sentences", {"max_tokens": most, "overlap": overlap}))(
        ParsedDocument(text)
    )

    assert all(len(tokens_of(text, *span)) <= most for span in spans)


def test_sentences_end_where_a_reader_ends_them() -> None:
    text = (
        'Dr. J. Smith saw 3.5 m of water, i.e. a flood. "Is it safe?" he asked.\n'
        "Nobody\nknew! See Fig. 2.\n\nA heading\n\n港口关闭了。灯是绿色的。"
    )

    assert cut("sentences(max_tokens=20)", text) == [
        "Dr. J. Smith saw 3.5 m of water, i.e. a flood.",  # 20 tokens
        '"Is it safe?" he asked.\nNobody\nknew! See Fig. 2.\n\nA heading',  # 9 + 3 + 5 + 2
        "港口关闭了。灯是绿色的。",  # 6 + 6
    ]
    assert cut("sentences(max_tokens=6)", text)[:4] == [
        "Dr. J. Smith saw",  # a sentence that is longer is cut after so many tokens
        "3.5 m of water",
        ", i.e. a",
        "flood.",
    ]


def test_sentences_share_their_overlap_when_it_leaves_room_for_something_new() -> None:
    text = "One two. Three four. Five six. Seven eight nine ten eleven twelve."

    assert cut("sentences(max_tokens=9, overlap=1)", text) == [
        "One two. Three four. Five six.",
        "Seven eight nine ten eleven twelve.",
    ]
    assert cut("sentences(max_tokens=6, overlap=1)", text)[:2] == ["One two. Three four.", "Three four. Five six."]


def test_words_chinese_characters_and_marks_are_tokens() -> None:
    text = "Pier 4, geöffnet: 港口a_b!"

    assert [text[start:stop] for start, stop in tokens_of(text)] == [
        "Pier", "4", ",", "geöffnet", ":", "港", "口", "a_b", "!",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("tokens(size=20, overlap=20)", "smaller than size"),
        ("tokens(size=0)", "at least 1"),
        ("tokens(size=2.5)", "must be int"),
        ("sentences(max_tokens=0)", "at least 1"),
        ("sentences(overlap=-1)", "at least 0"),
        ("recursive(max_tokens=20, overlap=20)", "smaller than max_tokens"),
        ("recursive(max_tokens=5, overlap=6)", "smaller than max_tokens"),
        ("page(max_tokens=0)", "at least 1"),
        ("headings(depth=0)", "at least 1"),
        ("table_rows(rows=0)", "at least 1"),
        ("none(size=3)", "no setting 'size'"),
    ],
)
def test_settings_out_of_range_are_refused(spec: str, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        chunkers.load().make(ComponentSpec.parse(spec))


@settings(max_examples=150, deadline=None)
@given(document=documents(), size=st.integers(1, 9), overlap=st.integers(0, 8))
def test_recursive_chunks_hold_no_more_than_they_may_and_share_at_most_their_overlap(
    document: ParsedDocument, size: int, overlap: int
) -> None:
    if overlap >= size:
        return
    spans = chunkers.load().make(ComponentSpec("recursive", {"max_tokens": size, "overlap": overlap}))(document)

    assert all(len(tokens_of(document.text, *span)) <= size for span in spans)
    assert all(len(tokens_of(document.text, other[0], one[1])) <= overlap for one, other in pairwise(spans))


def structured(*, rows: int = 0) -> ParsedDocument:
    """Make a document of two sections on two pages, with a table of some rows at its end."""
    text = "Quays\n\nThe North Quay is old. It was built in 1911.\n\nLights\n\nThe light is green."
    headings = (Heading(0, 1), Heading(text.index("Lights"), 2))
    page = text.index("Lights")
    pages = (Span(0, page - 2), Span(page, len(text)))
    if not rows:
        return ParsedDocument(text, pages, ("iv", "1"), headings)
    placed = []
    text += "\n\n"
    for number in range(HEADER, rows):
        line = "stone | tons" if number == HEADER else f"stone {number} | {number}"
        placed.append(TableRow(number, len(text), len(text) + len(line), (len(text), len(text) + line.index("|") + 2)))
        text += line + "\n"
    return ParsedDocument(text, pages, ("iv", "1"), headings, (Table("0", ("stone", "tons"), tuple(placed)),))


def pieces(spec: str, document: ParsedDocument) -> list[str]:
    spans = chunkers.load().make(ComponentSpec.parse(spec))(document)
    return [document.text[start:stop] for start, stop in spans]


def test_structure_decides_before_size() -> None:
    first, second = "Quays\n\nThe North Quay is old. It was built in 1911.", "Lights\n\nThe light is green."

    assert pieces("recursive(max_tokens=100)", structured()) == [f"{first}\n\n{second}"]
    assert pieces("recursive(max_tokens=13)", structured()) == [first, second]  # 1 + 6 + 6 tokens, and 1 + 5
    assert pieces("recursive(max_tokens=8)", structured()) == [
        "Quays\n\nThe North Quay is old.",
        "It was built in 1911.",
        second,
    ]
    assert pieces("recursive(max_tokens=4)", structured())[:4] == [
        "Quays",
        "The North Quay is",
        "old.",
        "It was built in",
    ]


def test_what_follows_begins_with_the_end_of_what_was_before() -> None:
    text = "One two. Three four. Five six."

    assert pieces("recursive(max_tokens=5, overlap=2)", ParsedDocument(text)) == [
        "One two.",
        "two. Three four.",
        "four. Five six.",
    ]


def test_pages_and_sections_are_chunks() -> None:
    first, second = "Quays\n\nThe North Quay is old. It was built in 1911.", "Lights\n\nThe light is green."

    assert pieces("page", structured()) == pieces("headings", structured()) == [first, second]
    assert pieces("headings(depth=1)", structured()) == [f"{first}\n\n{second}"]
    assert pieces("page(max_tokens=8)", structured())[-1] == second
    assert pieces("page", ParsedDocument("no pages")) == ["no pages"]


def test_headings_in_markdown_signs_count_where_the_parser_knows_none() -> None:
    text = "before\n# One\ntext\n```\n# no heading\n```\n## Two ##\n#no heading\n    # code"

    assert pieces("headings", ParsedDocument(text)) == [
        "before",
        "# One\ntext\n```\n# no heading\n```",
        "## Two ##\n#no heading\n    # code",
    ]


def test_rows_are_chunks_and_the_names_of_columns_go_with_the_first() -> None:
    found = pieces("table_rows(rows=2)", structured(rows=5))

    assert found[-3:] == ["stone | tons\nstone 0 | 0\nstone 1 | 1", "stone 2 | 2\nstone 3 | 3", "stone 4 | 4"]
    assert found[0].startswith("Quays")
    assert found[0].endswith("green.")
