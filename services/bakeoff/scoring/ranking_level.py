"""What a ranking is of: the documents of the passages, or their pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bakeoff.domain.answer import CaseAnswer, Passage
from bakeoff.domain.benchmark import Case
from bakeoff.domain.ranking import scored_documents
from bakeoff.domain.retrieval import judged_documents, judged_pages, retrieved_documents, retrieved_pages


class Retrieved(Protocol):
    """Gives the score of each thing that was retrieved."""

    def __call__(self, answer: CaseAnswer, *, exclude_self: bool) -> dict[str, float]:
        """Return scores by name."""


@dataclass(frozen=True, slots=True)
class Level:
    """One kind of thing that is ranked and judged."""

    plural: str
    judged: Callable[[Case], dict[str, int]]
    """Grade by name."""
    retrieved: Retrieved
    merged: Callable[[Sequence[Passage]], int]
    """Passages that were merged into a better one of the same thing; 0 where nobody counts them."""
    unjudged: str
    """Why a case without judgements is not applicable."""


def _merged(passages: Sequence[Passage]) -> int:
    return len(passages) - len({document_id for document_id, _ in scored_documents(passages)})


DOCUMENTS = Level(
    "documents", judged_documents, retrieved_documents, _merged, "unjudged: no evidence of the case names a document"
)
PAGES = Level(
    "pages",
    judged_pages,
    retrieved_pages,
    lambda passages: 0,
    "unjudged: no evidence of the case names a page of a document",
)
"""A passage is on every page that it touches; each has the highest score of its passages."""
