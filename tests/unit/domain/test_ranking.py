"""A ranking by columns is the passages that it was made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.contract.stored_answers import decode_answers, encode_answers
from bakeoff.domain.answer import AnswerBatch, CaseAnswer, Passage, Span
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.ranking import Ranking, scored_documents
from tests.builders import a_passage

spans = st.builds(lambda start, size: Span(start, start + size), st.integers(0, 10**9), st.integers(0, 10**6))


@st.composite
def rankings(draw: st.DrawFn) -> tuple[Passage, ...]:
    count = draw(st.integers(0, 6))
    with_text = draw(st.integers(0, count))
    rows = []
    for rank in range(1, count + 1):
        document_id = draw(st.sampled_from(["d", "a b", "x#1", "é"]))
        rows.append(
            Passage(
                rank,
                draw(st.floats(allow_nan=False, allow_infinity=False)),
                document_id,
                f"{document_id}#{draw(st.integers(0, 99))}",
                draw(st.sampled_from(["raw/1", "raw/2"])),
                "0" * 64,
                draw(spans),
                draw(st.none() | spans),
                draw(st.none() | spans),
                "text" if rank <= with_text else None,
            )
        )
    return tuple(rows)


@given(rankings())
def test_a_ranking_reads_as_its_passages(passages: tuple[Passage, ...]) -> None:
    ranking = Ranking.of(passages)
    assert ranking == passages
    assert tuple(ranking) == passages
    assert len(ranking) == len(passages)
    assert ranking[:2] == passages[:2]
    assert [ranking[row] for row in range(-len(passages), 0)] == list(passages)
    assert list(scored_documents(ranking)) == [(passage.document_id, passage.score) for passage in passages]


@given(st.lists(rankings(), max_size=3))
def test_stored_answers_read_back_and_equal_batches_are_equal_bytes(found: list[tuple[Passage, ...]]) -> None:
    answers = tuple(CaseAnswer(f"c{number}", passages) for number, passages in enumerate(found))
    batch = AnswerBatch("b", "u", "r/m", "kb", answers)
    data = encode_answers(batch)
    again = decode_answers(data)
    assert [answer.passages for answer in again.answers] == list(found)
    assert encode_answers(again) == data


def test_texts_can_be_cut_to_the_first_ranks() -> None:
    ranking = Ranking.of([a_passage("d1", rank=1, text="one"), a_passage("d2", rank=2, text="two")])
    assert [passage.text for passage in ranking.with_texts(1)] == ["one", None]


def test_a_chunk_id_of_another_shape_is_refused() -> None:
    passage = a_passage("d1")
    odd = Passage(1, 1.0, "d1", "elsewhere", passage.raw_key, passage.raw_sha256, passage.chars)
    with pytest.raises(InvalidInputError, match="elsewhere"):
        Ranking.of([odd])


def test_a_row_beyond_the_end_is_an_index_error() -> None:
    with pytest.raises(IndexError):
        Ranking.of([a_passage("d1")])[1]
