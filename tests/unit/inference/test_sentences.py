from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.inference.sentences import sentences


def split(text: str) -> list[str]:
    return [text[span.start : span.stop] for span in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("Wait... What?! Yes.", ["Wait...", "What?!", "Yes."]),
        ("It costs 3.50 a day. Pay now.", ["It costs 3.50 a day.", "Pay now."]),
        ("Dr. Varga and J. Pyke met Mrs. Stroud. They sat.", ["Dr. Varga and J. Pyke met Mrs. Stroud.", "They sat."]),
        ("Use a boat, e.g. Dunlin. Or swim.", ["Use a boat, e.g. Dunlin.", "Or swim."]),
        ("A line\nbroken in two. Next.", ["A line\nbroken in two.", "Next."]),
        ("A paragraph\n\nAnother one", ["A paragraph", "Another one"]),
        ("# Fees. All of them\nThe first costs one.", ["# Fees. All of them", "The first costs one."]),
        ("# Fees\nThe first costs one.", ["# Fees", "The first costs one."]),
        ("- one\n- two\n* three\n1. four", ["- one", "- two", "* three", "1. four"]),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        ("潮が高い。船が出る！本当？", ["潮が高い。", "船が出る！", "本当？"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@given(st.text(alphabet="ab .!?\n#-|1。", max_size=60))
def test_sentences_are_in_order_apart_trimmed_and_leave_out_only_space(text: str) -> None:
    spans = sentences(text)

    assert all(before.stop <= after.start for before, after in pairwise(spans))
    assert all(piece == piece.strip() != "" for piece in split(text))
    assert "".join("".join(split(text)).split()) == "".join(text.split())
