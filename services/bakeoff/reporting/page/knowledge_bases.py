"""Knowledge bases as a reader sees them: one line for each build part and benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.domain.report import KnowledgeBaseResult

NAMED_KNOWLEDGE_BASES = 3


@dataclass(frozen=True, slots=True)
class KnowledgeBaseGroup:
    """The knowledge bases of one build part on one benchmark."""

    benchmark: str
    build: str
    count: int
    failed: int
    documents: int
    chunks: int
    size_bytes: int
    skipped: int
    ids: tuple[str, ...]
    more: int
    findings: tuple[str, ...] = ()
    """What is said of documents, each sentence once."""


def group_knowledge_bases(bases: Sequence[KnowledgeBaseResult]) -> tuple[KnowledgeBaseGroup, ...]:
    """Return one line for each benchmark and build part, since a benchmark of many units has many knowledge bases."""
    groups: dict[tuple[str, str], list[KnowledgeBaseResult]] = {}
    for each in bases:
        groups.setdefault((each.benchmark, each.build), []).append(each)
    return tuple(
        KnowledgeBaseGroup(
            benchmark,
            build,
            len(found),
            sum(each.failed for each in found),
            sum(each.documents for each in found),
            sum(each.chunks for each in found),
            sum(each.size_bytes for each in found),
            sum(each.skipped for each in found),
            tuple(each.kb_id for each in found[:NAMED_KNOWLEDGE_BASES]),
            max(0, len(found) - NAMED_KNOWLEDGE_BASES),
            tuple(dict.fromkeys(finding for each in found for finding in each.findings)),
        )
        for (benchmark, build), found in groups.items()
    )
