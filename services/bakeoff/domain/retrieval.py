"""A case and its answer as retrieval measures see them: judged and ranked documents, or pages of them."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import BenchmarkManifest, Case
from bakeoff.domain.page_places import page_indexes, page_name
from bakeoff.domain.ranking import Ranking, scored_documents


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


def judged_pages(case: Case) -> dict[str, int]:
    """Return the relevance of each page that the case's evidence names together with its document, by `page_name`.

    A page that is named several times has the highest of its grades. Evidence without a document or without a page
    judges no page.
    """
    judged: dict[str, int] = {}
    for evidence in case.expected.evidence:
        document_id = evidence.locator.get("document_id")
        for page in page_indexes(evidence.locator) if document_id is not None else ():
            name = page_name(str(document_id), page)
            judged[name] = max(judged.get(name, evidence.relevance), evidence.relevance)
    return judged


def retrieved_pages(answer: CaseAnswer, *, exclude_self: bool) -> dict[str, float]:
    """Return the score of each page that was retrieved, by `page_name`: the highest of the passages that touch it.

    Args:
        answer: What was retrieved; passages without pages bring none.
        exclude_self: Leave out the pages of the document whose id is the case's own.
    """
    if isinstance(answer.passages, Ranking) and not answer.passages.columns.page_starts:
        return {}  # without making thousands of passages to see that none has a page
    return best_scores(
        (page_name(passage.document_id, page), passage.score)
        for passage in answer.passages
        if passage.pages is not None and not (exclude_self and passage.document_id == answer.case_id)
        for page in range(passage.pages.start, passage.pages.stop)
    )


def excludes_self(benchmark: BenchmarkManifest) -> bool:
    """Return whether a benchmark leaves a document with the case's own id out of rankings (ArguAna and Quora do)."""
    return benchmark.metadata.get("exclude_self") is True
