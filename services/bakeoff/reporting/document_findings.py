"""What a report says of documents that could not be read, or not as they should be."""

from __future__ import annotations

from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.report import BenchmarkResult, EvaluationReport

MOST_TOLD = 10
"""Sentences of each kind for a knowledge base; its manifest has all."""


def unreadable_documents(manifest: KnowledgeBaseManifest) -> int:
    """Return how many documents could not be read; empty ones could."""
    return sum(each.failure is not None for each in manifest.skipped)


def document_findings(manifest: KnowledgeBaseManifest) -> tuple[str, ...]:
    """Return why documents could not be read, remarks on others, and what indexes measured, a sentence each."""
    reasons = [each.failure.reason for each in manifest.skipped if each.failure is not None]
    remarks = [f"document {each.document_id!r}: {remark}" for each in manifest.remarks for remark in each.remarks]
    measured = [f"index {name.replace('.', ': ', 1)} {value:.4f}" for name, value in manifest.measures.items()]
    return (*_first(reasons, "could not be read"), *_first(remarks, "remarks"), *measured)


def _first(sentences: list[str], what: str) -> list[str]:
    more = len(sentences) - MOST_TOLD
    return [*sentences[:MOST_TOLD], *([f"and {more} more {what}"] if more > 0 else [])]


def document_sentences(report: EvaluationReport, benchmark: BenchmarkResult) -> list[str]:
    """Return a sentence for each parser that could not read some documents of a benchmark, with one reason."""
    bases = [each for each in report.knowledge_bases if each.benchmark == benchmark.name and each.unreadable]
    unread: dict[str, int] = {}
    for each in bases:
        unread[each.build] = unread.get(each.build, 0) + each.unreadable
    told: dict[str, tuple[int, str]] = {}
    for each in bases:
        # Recipes that share a parser have the same documents unread: they count once.
        parser = each.build.partition(", chunker=")[0].removeprefix("parser=")
        told[parser] = max(told.get(parser, (0, "")), (unread[each.build], each.findings[0]))
    return [
        f"documents: {count} could not be read by {parser}; the first: {reason}"
        for parser, (count, reason) in told.items()
    ]
