"""Chunkers: what all of them promise, and what each does."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.chunking import tokens_of
from bakeoff.knowledge.registries import chunkers

SPECS = [
    "none",
    "tokens",
    "tokens(size=1)",
    "tokens(size=3, overlap=2)",
    "sentences",
    "sentences(max_tokens=1, overlap=3)",
    "sentences(max_tokens=7, overlap=1)",
    "sentences(max_tokens=12, overlap=2)",
]
texts = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="ab. !?\n\"'A中。é", max_size=120),
    st.lists(st.sampled_from(["Dr.", "J.", "e.g.", "ends.", "a", "Quay", "3.5", "\n\n", "“so”", "。"])).map(" ".join),
)


def cut(spec: str, text: str) -> list[str]:
    return [text[start:stop] for start, stop in chunkers.load().make(ComponentSpec.parse(spec))(text)]


def test_every_chunker_of_the_registry_is_held_to_the_promises() -> None:
    assert {ComponentSpec.parse(spec).name for spec in SPECS} == {
        name for name in chunkers.load().names() if not name.endswith("_for_tests")
    }


@pytest.mark.parametrize("spec", SPECS)
@settings(max_examples=150, deadline=None)
@given(text=texts)
def test_chunks_are_in_order_never_empty_and_cover_the_text(spec: str, text: str) -> None:
    spans = chunkers.load().make(ComponentSpec.parse(spec))(text)

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
    spans = chunkers.load().make(ComponentSpec("tokens", {"size": size, "overlap": overlap}))(text)
    counts = [len(tokens_of(text, *span)) for span in spans]

    assert all(count == size for count in counts[:-1])
    shared = [len(tokens_of(text, other[0], one[1])) for one, other in pairwise(spans)]
    assert all(count == overlap for count in shared)


@settings(max_examples=150, deadline=None)
@given(text=texts, most=st.integers(1, 9), overlap=st.integers(0, 3))
def test_sentence_chunks_hold_no_more_than_they_may(text: str, most: int, overlap: int) -> None:
    spans = chunkers.load().make(ComponentSpec("sentences", {"max_tokens": most, "overlap": overlap}))(text)

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
        ("none(size=3)", "no setting 'size'"),
    ],
)
def test_settings_out_of_range_are_refused(spec: str, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        chunkers.load().make(ComponentSpec.parse(spec))
