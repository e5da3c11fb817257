"""Stored answers read for a report: all rankings, but only the first passages in full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bakeoff.contract.stored_answers import decode_answers
from bakeoff.domain.answer import Failure, Passage, Timing
from bakeoff.domain.prompt import Usage
from bakeoff.domain.ranking import scored_documents
from bakeoff.domain.retrieval import best_scores


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
    usage: Usage | None
    """What a model took; None when none was asked."""


def read_answers(data: bytes, shown: int) -> Iterator[ReadAnswer]:
    """Yield the answers of a stored AnswerBatch.

    Args:
        data: Its JSON.
        shown: Passages of each answer that are read in full.

    Raises:
        InvalidInputError: the bytes are not that; the message says where.
    """
    for answer in decode_answers(data).answers:
        yield ReadAnswer(
            answer.case_id,
            best_scores(scored_documents(answer.passages)),
            tuple(answer.passages[:shown]),
            answer.text,
            answer.failure,
            answer.timing,
            answer.usage,
        )
