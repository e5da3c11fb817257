"""Stored answers read for a report: all rankings, but only the first passages in full.

A batch of 100 answers with 100 passages each takes 37 ms to read whole, and 13 ms so: a report reads every answer of an
evaluation, and shows little of each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from bakeoff.domain.answer import Failure, Passage, Timing
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.retrieval import best_scores


class _Hit(msgspec.Struct, gc=False):
    """What a ranking needs of a Passage. Holds no container, so the collector need not look at millions of them."""

    document_id: str
    score: float


class _Answer(msgspec.Struct):
    """What a report needs of a CaseAnswer."""

    case_id: str
    passages: tuple[_Hit, ...]
    text: str | None
    failure: Failure | None
    timing: Timing


class _Batch(msgspec.Struct):
    answers: tuple[_Answer, ...]


class _RawAnswer(msgspec.Struct):
    passages: tuple[msgspec.Raw, ...]


class _RawBatch(msgspec.Struct):
    answers: tuple[_RawAnswer, ...]


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """One stored answer, as far as a report needs it."""

    case_id: str
    documents: dict[str, float]
    """Highest score of each document's passages, at the place of its first."""
    shown: tuple[Passage, ...]
    """The first passages."""
    text: str | None
    failure: Failure | None
    timing: Timing


def read_answers(data: bytes, shown: int) -> Iterator[ReadAnswer]:
    """Yield the answers of a stored AnswerBatch.

    Args:
        data: Its JSON.
        shown: Passages of each answer that are read in full.

    Raises:
        InvalidInputError: the bytes are not that; the message says where.
    """
    try:
        answers = msgspec.json.decode(data, type=_Batch).answers
        raws = msgspec.json.decode(data, type=_RawBatch).answers
        for answer, raw in zip(answers, raws, strict=True):
            yield ReadAnswer(
                answer.case_id,
                best_scores((hit.document_id, hit.score) for hit in answer.passages),
                tuple(msgspec.json.decode(passage, type=Passage) for passage in raw.passages[:shown]),
                answer.text,
                answer.failure,
                answer.timing,
            )
    except msgspec.MsgspecError as error:
        raise InvalidInputError(f"not a stored AnswerBatch: {error}") from error
