"""One metric over the entrants of a benchmark, as the page shows it: means, a chart, and who is ahead of whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bakeoff.domain.report import BenchmarkResult, Comparison, EntrantResult, EvaluationReport, MetricSummary
from bakeoff.domain.score import MetricCard
from bakeoff.reporting.direction import lead
from bakeoff.reporting.page.charts import Point, difference_bar, dot_chart
from bakeoff.reporting.wording import number, shown_different, signed

COLOURS = 8
TURNED = {"ahead": "behind", "behind": "ahead", "open": "open"}


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One entrant under one metric."""

    label: str
    colour: int
    summary: MetricSummary
    best: bool
    """Whether no other entrant has a better mean."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One pair under one metric."""

    entrant: str
    baseline: str
    each: Comparison
    state: str
    """`ahead` or `behind` when the difference is shown, else `open`."""
    bar: Markup


@dataclass(frozen=True, slots=True)
class MetricView:
    """One metric over all entrants of a benchmark."""

    card: MetricCard
    chart: Markup | None
    """None when the metric applies to no case."""
    cases: int
    """Cases that it applies to, at most over the entrants."""
    rows: tuple[ScoreRow, ...]
    comparisons: tuple[ComparisonRow, ...]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A difference in the matrix of the first metric."""

    text: str
    state: str
    """`ahead`, `behind`, `open`, or `none` where nothing was compared."""
    title: str


def metric_view(
    report: EvaluationReport,
    benchmark: BenchmarkResult,
    card: MetricCard,
    entrants: Sequence[EntrantResult],
    known: dict[str, str],
) -> MetricView:
    """Return one metric of a benchmark.

    Args:
        report: Whose benchmark it is.
        benchmark: The benchmark.
        card: The metric.
        entrants: Those of the benchmark, in its order.
        known: How entrants are called, by their full names.
    """
    summaries = [next(each for each in entrant.metrics if each.metric == card.name) for entrant in entrants]
    means = [each.mean for each in summaries if each.mean is not None]
    best = (min if card.lower_is_better else max)(means, default=None)
    turn = -1.0 if card.lower_is_better else 1.0  # a bar points to who won
    several = len({each.mean for each in summaries}) > 1
    rows = tuple(
        ScoreRow(known[entrant.entrant], place % COLOURS, summary, several and summary.mean == best)
        for place, (entrant, summary) in enumerate(zip(entrants, summaries, strict=True))
    )
    points = [_point(row) for row in rows if row.summary.mean is not None]
    compared = [each for each in report.comparisons if each.benchmark == benchmark.name and each.metric == card.name]
    compared = [each for each in compared if each.cases]
    ends = [abs(end) for each in compared for end in _ends(each)]
    level = report.request.options.confidence
    return MetricView(
        card,
        dot_chart(f"{card.name} of each entrant", points, card.minimum, card.maximum) if points else None,
        max((each.planned - each.not_applicable for each in summaries), default=0),
        rows,
        tuple(
            ComparisonRow(
                known[each.entrant],
                known[each.baseline],
                each,
                _state(lead(benchmark, each), shown_different(each, level)),
                _bar(each, turn, max(ends)),
            )
            for each in compared
        ),
    )


def _state(ahead_by: float, shown: bool) -> str:
    if not shown:
        return "open"
    return "ahead" if ahead_by > 0 else "behind"


def _point(row: ScoreRow) -> Point:
    mean = row.summary.mean or 0.0
    around = row.summary.interval
    low, high = (around.low, around.high) if around else (mean, mean)
    return Point(row.label, mean, low, high, number(mean, 3), row.colour)


def _ends(each: Comparison) -> tuple[float, float]:
    return (each.interval.low, each.interval.high) if each.interval else (each.difference, each.difference)


def _bar(each: Comparison, turn: float, widest: float) -> Markup:
    low, high = _ends(each)
    return difference_bar(each.difference * turn, low * turn, high * turn, widest)


def matrix(metrics: Sequence[MetricView], names: Sequence[str]) -> tuple[tuple[MatrixCell, ...], ...]:
    """Return the differences of the first metric that has any, row against column; empty when there is none.

    Args:
        metrics: Of the benchmark.
        names: How its entrants are called, in their order.
    """
    first = next((metric for metric in metrics if metric.comparisons), None)
    if first is None:
        return ()
    found = {(row.entrant, row.baseline): row for row in first.comparisons}
    return tuple(tuple(_cell(found, ours, theirs) for theirs in names) for ours in names)


def _cell(found: dict[tuple[str, str], ComparisonRow], ours: str, theirs: str) -> MatrixCell:
    row = found.get((ours, theirs)) or found.get((theirs, ours))
    if row is None:
        return MatrixCell("", "none", "")
    turned = row.entrant != ours
    difference = -row.each.difference if turned else row.each.difference
    state = TURNED[row.state] if turned else row.state
    words = {"open": "no difference shown", "ahead": "ahead", "behind": "behind"}[state]
    return MatrixCell(signed(difference, 3), state, f"{ours} against {theirs}: {words}")
