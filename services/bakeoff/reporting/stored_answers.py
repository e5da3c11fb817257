"""Stored answers read for a report: all rankings, but only the first passages in full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bakeoff.contract.stored_answers import decode_answers
from bakeoff.domain.answer import Failure, Passage, Timing
from bakeoff.domain.prompt import Usage
from bakeoff.domain.retrieval import retrieved_documents, retrieved_pages
from bakeoff.domain.retrieval_steps import RETRIEVAL, fell_back
from bakeoff.reporting.prompt_findings import PromptNotes


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """One stored answer, as far as a report needs it."""

    case_id: str
    documents: dict[str, float]
    """Highest score of each document's passages, at the place of its first."""
    pages: dict[str, float]
    """Highest score of the passages of each page, by its name; empty when documents have none."""
    shown: tuple[Passage, ...]
    """The first passages."""
    text: str | None
    failure: Failure | None
    timing: Timing
    usage: Usage | None
    """What a model took; None when none was asked."""
    prompt: PromptNotes = field(default_factory=PromptNotes)
    """What is known of its prompt."""
    retrieval_usage: Usage | None = None
    """What models took to retrieve; None when none was asked."""
    fell_back: bool = False
    """Whether retrieval went on without what a model should have said."""
    retrieval: dict[str, object] = field(default_factory=dict)
    """How it was retrieved, as the engine tells; empty when that was one plain search."""
    embedding_usage: Usage | None = None
    """What an endpoint took to embed what was searched for; None when none embeds it."""


def read_answers(data: bytes, shown: int, *, exclude_self: bool) -> Iterator[ReadAnswer]:
    """Yield the answers of a stored AnswerBatch.

    Args:
        data: Its JSON.
        shown: Passages of each answer that are read in full.
        exclude_self: Whether the document with the case's id is left out of the rankings.

    Raises:
        InvalidInputError: the bytes are not that; the message says where.
    """
    for answer in decode_answers(data).answers:
        yield ReadAnswer(
            answer.case_id,
            retrieved_documents(answer, exclude_self=exclude_self),
            retrieved_pages(answer, exclude_self=exclude_self),
            tuple(answer.passages[:shown]),
            answer.text,
            answer.failure,
            answer.timing,
            answer.usage,
            PromptNotes.of(answer.metadata),
            answer.retrieval_usage,
            fell_back(told := answer.metadata.get(RETRIEVAL)),
            told if isinstance(told, dict) else {},
            answer.embedding_usage,
        )
