"""Which of two values is the better one: the higher, unless the metric says otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.domain.report import BenchmarkResult, Comparison
from bakeoff.domain.score import MetricCard


def sense(benchmark: BenchmarkResult, metric: str) -> float:
    """Return 1 when a higher value of a metric is better, and -1 when a lower one is."""
    return -1.0 if any(card.name == metric and card.lower_is_better for card in benchmark.metrics) else 1.0


def lead(benchmark: BenchmarkResult, each: Comparison) -> float:
    """Return how far the entrant is ahead of the baseline; negative when it is behind."""
    return each.difference * sense(benchmark, each.metric)


def lower_names(cards: Sequence[MetricCard]) -> str:
    """Return the names of the metrics of which a lower value is better; empty when there are none."""
    return ", ".join(card.name for card in cards if card.lower_is_better)


def marks_in_words(cards: Sequence[MetricCard], best: str, behind: str) -> str:
    """Return what the marks beside means say."""
    lower = lower_names(cards)
    if not lower:
        return f"{best} highest mean   {behind} shown to be lower than the highest"
    return f"{best} best mean   {behind} shown to be worse than the best; lower is better in {lower}"


def failed_in_words(cards: Sequence[MetricCard]) -> str:
    """Return what failed cases count as in the means of a benchmark, behind `cases failed and`."""
    left_out = ", ".join(card.name for card in cards if card.worst is None)
    worst = ", ".join(card.name for card in cards if card.lower_is_better and card.worst is not None)
    told = [] if cards and all(card.lower_is_better for card in cards) else ["count as 0"]
    told += [f"count as the worst in {worst}"] if worst else []
    told += [f"are left out of {left_out}, in which lower is better"] if left_out else []
    return ", and ".join(told)
