"""Over how many cases means are, and what they would be over the scored cases alone, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bakeoff.domain.report import BenchmarkResult, EntrantResult, EvaluationReport, MetricSummary
from bakeoff.reporting.standings import applicable
from bakeoff.reporting.wording import labels, number

SHOWN = 12
"""Sentences at most: a summary is for the first glance."""


class Counts(NamedTuple):
    """The cases of a mean."""

    planned: int
    scored: int
    failed: int
    not_applicable: int

    @classmethod
    def of(cls, summary: MetricSummary) -> Counts:
        """Return those of a metric."""
        return cls(summary.planned, summary.scored, summary.failed, summary.not_applicable)

    def __str__(self) -> str:
        """Return all four; they add up."""
        return (
            f"{self.planned:,} planned, {self.scored:,} scored, {self.failed:,} failed, "
            f"{self.not_applicable:,} not applicable"
        )


def counted(report: EvaluationReport, benchmark: BenchmarkResult) -> list[str]:
    """Return over how many cases the means of a benchmark are; one sentence where all have the same counts."""
    entrants = [entrant for entrant in report.entrants if entrant.benchmark == benchmark.name]
    metrics = applicable(report, benchmark)
    all_counts = {Counts.of(each) for entrant in entrants for each in entrant.metrics if each.metric in metrics}
    if not all_counts:
        return []
    if len(all_counts) == 1 and not next(iter(all_counts)).failed:
        return [f"cases of each mean: {all_counts.pop()}"]
    names = labels(report)
    sentences = [
        f"cases of {names[entrant.entrant]}{sentence}" for entrant in entrants for sentence in _of(entrant, metrics)
    ]
    if len(sentences) > SHOWN:
        return [*sentences[:SHOWN], f"… and {len(sentences) - SHOWN} more in the full report"]
    return sentences


def macros(report: EvaluationReport, benchmark: BenchmarkResult) -> list[str]:
    """Return the macro averages of a benchmark, a sentence an entrant; none where it names no grouping."""
    names = labels(report)
    told = {
        names[entrant.entrant]: [
            f"{each.metric} {number(each.macro)} (micro {number(each.mean)})"
            for each in entrant.metrics
            if each.macro is not None
        ]
        for entrant in report.entrants
        if entrant.benchmark == benchmark.name
    }
    return [f"macro average of {name}: {', '.join(means)}" for name, means in told.items() if means][:SHOWN]


def pooled(report: EvaluationReport, benchmark: BenchmarkResult) -> list[str]:
    """Return the figures of the whole corpus of a benchmark, a sentence an entrant; none where no metric has one."""
    names = labels(report)
    told = {
        names[entrant.entrant]: [
            f"{each.metric} {number(each.pooled)} (mean over cases {number(each.mean_scored)})"
            for each in entrant.metrics
            if each.pooled is not None
        ]
        for entrant in report.entrants
        if entrant.benchmark == benchmark.name
    }
    return [f"whole corpus by {name}: {', '.join(figures)}" for name, figures in told.items() if figures][:SHOWN]


def _of(entrant: EntrantResult, metrics: tuple[str, ...]) -> Iterator[str]:
    groups: dict[Counts, list[MetricSummary]] = {}
    for each in entrant.metrics:
        if each.metric in metrics:
            groups.setdefault(Counts.of(each), []).append(each)
    for counts, summaries in groups.items():
        which = "" if len(groups) == 1 else f", {', '.join(each.metric for each in summaries)}"
        alone = ", ".join(f"{each.metric} {number(each.mean_scored)}" for each in summaries)
        yield f"{which}: {counts}" + (f"; over the scored alone {alone}" if counts.failed else "")
