"""A case and its answer as retrieval measures see them: judged documents and ranked documents."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import BenchmarkManifest, Case
from bakeoff.domain.ranking import scored_documents


def judged_documents(case: Case) -> dict[str, int]:
    """Return the relevance of each document that the case's evidence names, in the evidence's order.

    A document that is named several times has the highest of its grades. Evidence without a `document_id` in its
    locator judges no document.
    """
    judged: dict[str, int] = {}
    for evidence in case.expected.evidence:
        document_id = evidence.locator.get("document_id")
        if document_id is None:
            continue
        name = str(document_id)
        judged[name] = max(judged.get(name, evidence.relevance), evidence.relevance)
    return judged


def retrieved_documents(answer: CaseAnswer, *, exclude_self: bool) -> dict[str, float]:
    """Return the score of each document that was retrieved: the highest of its passages', at its first hit's place.

    Args:
        answer: What was retrieved; scores are finite.
        exclude_self: Leave out the document whose id is the case's own.
    """
    documents = best_scores(scored_documents(answer.passages))
    if exclude_self:
        documents.pop(answer.case_id, None)
    return documents


def best_scores(hits: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return the highest score of each document, at the place of its first hit.

    Args:
        hits: Document ids with scores, best first.
    """
    documents: dict[str, float] = {}
    for document_id, score in hits:
        known = documents.get(document_id)
        if known is None or score > known:
            documents[document_id] = score
    return documents


def excludes_self(benchmark: BenchmarkManifest) -> bool:
    """Return whether a benchmark leaves a document with the case's own id out of rankings (ArguAna and Quora do)."""
    return benchmark.metadata.get("exclude_self") is True
