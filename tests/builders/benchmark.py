"""Builders of what a benchmark brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bakeoff.domain.benchmark import BenchmarkChoice, BenchmarkDocument, Case, Evidence, Expected
from bakeoff.domain.component import ComponentSpec


def a_document(document_id: str = "d1", text: str = "The tide gauge stands at North Quay.") -> BenchmarkDocument:
    """Return a plain text document named after its id."""
    return BenchmarkDocument(document_id, f"{document_id.replace('/', '_')}.txt", "text/plain", data=text.encode())


def some_evidence(document_id: str = "d1", text: str = "", relevance: int = 1) -> Evidence:
    """Return evidence that names a document, and words when they are given."""
    return Evidence(reference_id=document_id, locator={"document_id": document_id}, text=text, relevance=relevance)


def a_case(
    case_id: str = "c1",
    *,
    question: str = "Where does the tide gauge stand?",
    answers: Sequence[str] = ("North Quay",),
    relevant: Sequence[str] | Mapping[str, int] = ("d1",),
    evidence: Sequence[Evidence] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Case:
    """Return a case.

    Args:
        case_id: Its id.
        question: What is asked.
        answers: Any of them is right.
        relevant: Documents that are evidence, with their grades when it is a mapping.
        evidence: Instead of `relevant`.
        labels: What the case may be grouped by.
    """
    graded = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1)
    pieces = [some_evidence(document, relevance=grade) for document, grade in graded.items()]
    expected = Expected(answers=tuple(answers), evidence=tuple(pieces if evidence is None else evidence))
    return Case(case_id, question, expected, dict(labels or {}))


def a_benchmark(
    path: str = "docs", *, adapter: str = "beir", limit: int | None = None, **settings: object
) -> BenchmarkChoice:
    """Return the choice of a benchmark that an adapter reads from a path."""
    return BenchmarkChoice(ComponentSpec(adapter, {"path": path, **settings}), limit=limit)
