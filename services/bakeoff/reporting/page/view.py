"""What the page shows, worked out before the template sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bakeoff.domain.report import (
    BenchmarkResult,
    Comparison,
    EntrantResult,
    EvaluationReport,
    FailureGroup,
    MetricSummary,
)
from bakeoff.domain.score import MetricCard
from bakeoff.reporting.build_steps import build_rows
from bakeoff.reporting.comparisons import ALL_PAIRS_UP_TO
from bakeoff.reporting.direction import lead, marks_in_words
from bakeoff.reporting.judging_tables import agreement, judging, judging_notes
from bakeoff.reporting.material import BenchmarkMaterial, Finished
from bakeoff.reporting.page.case_views import EMBEDDED_CASES, CaseView, case_views
from bakeoff.reporting.page.charts import Point, difference_bar, dot_chart, share_bar
from bakeoff.reporting.page.knowledge_bases import KnowledgeBaseGroup, group_knowledge_bases
from bakeoff.reporting.prompt_findings import prompt_sentences
from bakeoff.reporting.standings import STEPS, Glance, applicable, glances
from bakeoff.reporting.usage_tables import UsageTable, in_short, notes, sums, times
from bakeoff.reporting.wording import Verdict, labels, number, provenance, shown_different, signed, verdict

COLOURS = 8
LONGEST_ID = 20
"""Characters of a case's id that a list shows before it cuts it off."""
TURNED = {"ahead": "behind", "behind": "ahead", "open": "open"}
CHARACTER_REM = 0.5
"""Width of a character of an id, in the root's font size."""


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


@dataclass(frozen=True, slots=True)
class BenchmarkView:
    """One benchmark."""

    anchor: str
    result: BenchmarkResult
    verdict: Verdict
    metrics: tuple[MetricView, ...]
    names: tuple[str, ...]
    """How the entrants are called, in their order."""
    matrix: tuple[tuple[MatrixCell, ...], ...]
    """Row against column, under the first metric; empty below three entrants."""
    first_only: bool
    """Whether there are so many entrants that each was compared with the first alone."""
    entrants: tuple[EntrantResult, ...]
    failures: tuple[FailureGroup, ...]
    cases: tuple[CaseView, ...]
    all_cases: int
    glances: tuple[Glance, ...]
    applicable: tuple[str, ...]
    """Names of the metrics that the glances show."""
    steps: tuple[str, ...]
    """What is timed of a case of this benchmark."""
    taken: UsageTable
    """Tokens and cost, a row a glance; without columns when nothing is known of them."""
    id_rem: float
    """Width of the column of case ids: that of the longest, within bounds."""
    marks: str
    """What the marks of the glances say."""
    prompts: tuple[str, ...]
    """What a reader should know of the prompts, each behind its entrant's name; empty when there is nothing."""


@dataclass(frozen=True, slots=True)
class PageView:
    """The whole page."""

    report: EvaluationReport
    labels: dict[str, str]
    benchmarks: tuple[BenchmarkView, ...]
    knowledge_bases: tuple[KnowledgeBaseGroup, ...]
    stages: tuple[tuple[str, int, float, float, Markup], ...]
    """Stage, items, busy seconds, wall seconds, and a bar of the wall time."""
    building: tuple[tuple[str, str, str], ...]
    """Step of building, how often it was done, and how often it was done before; empty when nothing was built."""
    usage: UsageTable
    """What each model took; without rows when none was asked."""
    usage_times: UsageTable
    usage_notes: tuple[str, ...]
    judging: UsageTable
    """What judging models took; without rows when none judged."""
    agreement: UsageTable
    """How far they agree with people; without rows without people's ratings."""
    judging_notes: tuple[str, ...]
    provenance: str
    """Whose answers were scored again; empty for a report of its own answers."""


def page_view(finished: Finished) -> PageView:
    """Return what the page of a report shows."""
    report = finished.report
    budget = EMBEDDED_CASES // max(1, len(finished.material.benchmarks))
    longest = max((stage.wall_s for stage in report.run.stages), default=0.0) or 1.0
    return PageView(
        report,
        labels(report),
        tuple(
            _benchmark(report, result, material, f"b{place}", budget)
            for place, (result, material) in enumerate(
                zip(report.benchmarks, finished.material.benchmarks, strict=True), start=1
            )
        ),
        group_knowledge_bases(report.knowledge_bases),
        tuple(
            (stage.stage, stage.items, stage.busy_s, stage.wall_s, share_bar(stage.wall_s / longest))
            for stage in report.run.stages
        ),
        build_rows(report.run),
        sums(report),
        times(report),
        notes(report),
        judging(report),
        agreement(report),
        judging_notes(report),
        provenance(report),
    )


def _benchmark(
    report: EvaluationReport, result: BenchmarkResult, material: BenchmarkMaterial, anchor: str, budget: int
) -> BenchmarkView:
    known = labels(report)
    entrants = tuple(entrant for entrant in report.entrants if entrant.benchmark == result.name)
    names = tuple(known[entrant.entrant] for entrant in entrants)
    metrics = tuple(_metric(report, result, card, entrants, known) for card in result.metrics)
    found = glances(report, result)
    cases = tuple(case_views(material, names, budget))
    return BenchmarkView(
        anchor,
        result,
        verdict(report, result),
        metrics,
        names,
        _matrix(metrics, names, report.request.options.confidence) if len(names) > 2 else (),
        len(names) > ALL_PAIRS_UP_TO,
        entrants,
        tuple(group for group in report.run.failures if group.benchmark == result.name),
        cases,
        len(material.cases),
        found,
        applicable(report, result),
        tuple(step for step in STEPS if any(step in each.times_ms for each in found)),
        in_short([each.usage for each in found]),
        CHARACTER_REM * min(max([len(case.name) for case in cases], default=0) + 1, LONGEST_ID),
        marks_in_words([card for card in result.metrics if card.name in applicable(report, result)], "*", "↓"),
        prompt_sentences(report, result),
    )


def _metric(
    report: EvaluationReport,
    benchmark: BenchmarkResult,
    card: MetricCard,
    entrants: Sequence[EntrantResult],
    known: dict[str, str],
) -> MetricView:
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


def _matrix(metrics: Sequence[MetricView], names: Sequence[str], level: float) -> tuple[tuple[MatrixCell, ...], ...]:
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
