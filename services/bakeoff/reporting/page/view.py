"""What the page shows, worked out before the template sees it."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from bakeoff.domain.report import (
    BenchmarkResult,
    EntrantResult,
    EvaluationReport,
    FailureGroup,
)
from bakeoff.reporting.build_steps import build_rows
from bakeoff.reporting.comparisons import ALL_PAIRS_UP_TO
from bakeoff.reporting.direction import marks_in_words
from bakeoff.reporting.judging_tables import agreement, judging, judging_notes
from bakeoff.reporting.material import BenchmarkMaterial, Finished
from bakeoff.reporting.page.case_views import EMBEDDED_CASES, CaseView, case_views
from bakeoff.reporting.page.charts import share_bar
from bakeoff.reporting.page.knowledge_bases import KnowledgeBaseGroup, group_knowledge_bases
from bakeoff.reporting.page.metric_views import MatrixCell, MetricView, matrix, metric_view
from bakeoff.reporting.prompt_findings import prompt_sentences
from bakeoff.reporting.standings import STEPS, Glance, applicable, glances
from bakeoff.reporting.usage_tables import UsageTable, in_short, latencies, notes, sums, times
from bakeoff.reporting.wording import Verdict, labels, provenance, verdict

LONGEST_ID = 20
"""Characters of a case's id that a list shows before it cuts it off."""
CHARACTER_REM = 0.5
"""Width of a character of an id, in the root's font size."""


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
    latencies: UsageTable
    """How the times of cases are spread."""
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
        latencies(report),
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
    metrics = tuple(metric_view(report, result, card, entrants, known) for card in result.metrics)
    found = glances(report, result)
    cases = tuple(case_views(material, names, budget))
    return BenchmarkView(
        anchor,
        result,
        verdict(report, result),
        metrics,
        names,
        matrix(metrics, names) if len(names) > 2 else (),
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
