"""What a report says of indexes that look at a part of their vectors only: how much of the truth they find."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bakeoff.domain.knowledge import EMBEDDER_COST, EMBEDDER_TOKENS
from bakeoff.domain.report import BenchmarkResult, EvaluationReport

FINDING = re.compile(r"index (?P<index>[^:]+): recall_at_10 (?P<recall>[\d.]+)")


def index_findings(measures: Mapping[str, float]) -> tuple[str, ...]:
    """Return what the indexes of a knowledge base measured, a sentence each; `FINDING` reads them.

    What its vectors took is told with what models took.
    """
    return tuple(
        f"index {name.replace('.', ': ', 1)} {value:.4f}"
        for name, value in measures.items()
        if name not in (EMBEDDER_TOKENS, EMBEDDER_COST)
    )


def recall_sentences(report: EvaluationReport, benchmark: BenchmarkResult) -> list[str]:
    """Return a sentence for each recipe and index that missed, or could have missed, some of the nearest chunks."""
    found = {
        base.kb_id: [
            (match["index"], float(match["recall"])) for each in base.findings if (match := FINDING.match(each))
        ]
        for base in report.knowledge_bases
        if base.benchmark == benchmark.name
    }
    recalls: dict[tuple[str, str], dict[str, float]] = {}
    for entrant in report.entrants:
        for kb_id in entrant.knowledge_bases if entrant.benchmark == benchmark.name else ():
            for index, recall in found.get(kb_id, ()):
                recalls.setdefault((entrant.recipe, index), {})[kb_id] = recall
    return [_sentence(recipe, index, list(bases.values())) for (recipe, index), bases in recalls.items()]


def _sentence(recipe: str, index: str, recalls: list[float]) -> str:
    mean, least = f"{sum(recalls) / len(recalls):.4f}", f"{min(recalls):.4f}"
    finds = mean if mean == least else f"{mean} on average, {least} at least,"
    where = "" if len(recalls) == 1 else f", over {len(recalls)} knowledge bases"
    return (
        f"{recipe}: its index {index} is approximate and finds {finds} of the ten nearest chunks (recall_at_10{where})"
    )
