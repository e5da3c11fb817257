"""What a report says of documents that could not be read, or not as they should be."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from bakeoff.domain.knowledge import KnowledgeBaseManifest, SkippedDocument
from bakeoff.domain.report import BenchmarkResult, EvaluationReport, KnowledgeBaseResult
from bakeoff.reporting.index_findings import index_findings

MOST_TOLD = 50
"""Sentences of each kind for a knowledge base; its manifest has all."""
MOST_NAMED = 1000
"""Documents that one sentence names."""
MOST_REASONS = 3
"""Of a parser on a terminal, each with as many names as fit its width; the page has all."""
WIDTH = 200


def unreadable_documents(manifest: KnowledgeBaseManifest) -> int:
    """Return how many documents could not be read; empty ones could."""
    return sum(each.failure is not None for each in manifest.skipped)


def document_findings(manifest: KnowledgeBaseManifest) -> tuple[str, ...]:
    """Return why documents could not be read, remarks on others, and what indexes measured, a sentence each.

    Documents that could not be read for the same reason share a sentence; the one of most documents comes first.
    """
    remarks = [f"document {each.document_id!r}: {remark}" for each in manifest.remarks for remark in each.remarks]
    return (*_faults(manifest.skipped), *_first(remarks), *index_findings(manifest.measures))


def _faults(skipped: Iterable[SkippedDocument]) -> list[str]:
    alike: dict[tuple[str, str], list[str]] = {}
    for each in skipped:
        if each.failure is not None:
            before, name, behind = each.failure.reason.partition(repr(each.document_id))
            alike.setdefault((before, behind) if name else (each.failure.reason, ""), []).append(each.document_id)
    groups = sorted(alike.items(), key=lambda group: -len(group[1]))
    left = sum(len(names) for _, names in groups[MOST_TOLD:])
    more = [f"and {left:,} more could not be read"] if left else []
    return [_fault(*reason, names) for reason, names in groups[:MOST_TOLD]] + more


def _fault(before: str, behind: str, names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{before}{names[0]!r}{behind}" if behind else before
    named = ", ".join(map(repr, names[:MOST_NAMED]))
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"{len(names)} × {before}…{behind}: {named}{more}" if behind else f"{len(names)} × {before}: {named}{more}"


def _first(remarks: list[str]) -> list[str]:
    more = len(remarks) - MOST_TOLD
    return [*remarks[:MOST_TOLD], *([f"and {more:,} more remarks"] if more > 0 else [])]


def document_sentences(report: EvaluationReport, benchmark: BenchmarkResult) -> list[str]:
    """Return a sentence for each parser that could not read some documents of a benchmark: how many, and the reasons.

    Where there are more reasons and names than a terminal should show, it says where all of them are.
    """
    builds: dict[str, list[KnowledgeBaseResult]] = {}
    for each in report.knowledge_bases:
        if each.benchmark == benchmark.name and each.unreadable:
            builds.setdefault(each.build, []).append(each)
    told: dict[str, tuple[int, str]] = {}
    for build, bases in builds.items():
        # Recipes that share a parser have the same documents unread: they count once.
        parser = build.partition(", chunker=")[0].removeprefix("parser=")
        count = sum(each.unreadable for each in bases)
        told[parser] = max(told.get(parser, (0, "")), (count, _reasons(bases)))
    names = [parser.partition("(")[0] for parser in told]
    return [
        f"documents: {count} of {benchmark.documents} could not be read by "
        f"{name if names.count(name) == 1 else parser}: {reasons}"
        for name, (parser, (count, reasons)) in zip(names, told.items(), strict=True)
    ]


def _reasons(bases: Sequence[KnowledgeBaseResult]) -> str:
    sentences = list(dict.fromkeys(sentence for each in bases for sentence in _of_faults(each)))
    sentences = [sentence.replace("document … cannot be read: ", "") for sentence in sentences]
    shown = [textwrap.shorten(each, WIDTH, placeholder=" …") for each in sentences[:MOST_REASONS]]
    if shown == sentences:
        return "; ".join(shown)
    more = f"; and {len(sentences) - MOST_REASONS:,} more reasons" if len(sentences) > MOST_REASONS else ""
    return f"{'; '.join(shown)}{more}; the page names all of them, under “Sizes and times”"


def _of_faults(base: KnowledgeBaseResult) -> Iterable[str]:
    """Return those of its findings that say what could not be read: they come first."""
    left = base.unreadable
    for sentence in base.findings:
        count, times, _ = sentence.partition(" × ")
        left -= int(count) if times and count.isdigit() else 1
        yield sentence
        if left <= 0:
            return
