"""How entrants stand on a benchmark, and what each cost: one row an entrant, for the first glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.domain.report import BenchmarkResult, EntrantResult, EntrantRun, EvaluationReport
from bakeoff.reporting.direction import lead, sense
from bakeoff.reporting.wording import labels, shown_different

STEPS = ("retrieve", "generate")
"""What is timed of a case."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's mean under one metric, against the best: the highest, or the lowest where lower is better."""

    mean: float | None
    """None when the metric applies to no case."""
    best: bool
    """Whether nobody has a better mean, and somebody a worse one."""
    behind: bool
    """Whether it is shown to be worse than the best; False also where the two were not compared."""


@dataclass(frozen=True, slots=True)
class Glance:
    """One entrant."""

    entrant: str
    """`recipe/mode`."""
    label: str
    standings: tuple[Standing, ...]
    """One for each of the metrics that `applicable` names."""
    failed_cases: int
    """Cases that failed when they were asked or when they were scored."""
    chunks: int
    size_bytes: int
    """Of its knowledge bases; those that it shares with others count for each."""
    times_ms: dict[str, float]
    """Median of a case's time on the benchmark by step, `retrieve` and `generate`; empty when it is not known."""
    usage: dict[str, float]
    """What its model took on the benchmark, as in RunFacts.usage; empty when it asked none, or when that is not known
    of the benchmark alone."""


def applicable(report: EvaluationReport, benchmark: BenchmarkResult) -> tuple[str, ...]:
    """Return the names of the metrics that apply to some case of some entrant, in the report's order."""
    found = {each.metric for one in _entrants(report, benchmark) for each in one.metrics if each.mean is not None}
    return tuple(card.name for card in benchmark.metrics if card.name in found)


def glances(report: EvaluationReport, benchmark: BenchmarkResult) -> tuple[Glance, ...]:
    """Return how each entrant stands on a benchmark, in the request's order."""
    entrants = _entrants(report, benchmark)
    names = labels(report)
    columns = [_standings(report, benchmark, metric, entrants) for metric in applicable(report, benchmark)]
    bases = {each.kb_id: each for each in report.knowledge_bases}
    runs = _runs(report, benchmark)
    return tuple(
        Glance(
            entrant.entrant,
            names[entrant.entrant],
            tuple(column[place] for column in columns),
            max([entrant.failed_cases, *(each.failed for each in entrant.metrics)]),
            sum(bases[kb_id].chunks for kb_id in entrant.knowledge_bases),
            sum(bases[kb_id].size_bytes for kb_id in entrant.knowledge_bases),
            _times(runs[entrant.entrant]),
            runs[entrant.entrant].usage,
        )
        for place, entrant in enumerate(entrants)
    )


def _entrants(report: EvaluationReport, benchmark: BenchmarkResult) -> list[EntrantResult]:
    return [entrant for entrant in report.entrants if entrant.benchmark == benchmark.name]


def _runs(report: EvaluationReport, benchmark: BenchmarkResult) -> dict[str, EntrantRun]:
    """Return what each entrant took on a benchmark, by its name."""
    run = report.run
    known = {each.entrant: each for each in run.by_benchmark if each.benchmark == benchmark.name}
    alone = len(report.benchmarks) == 1  # a report of an earlier version has only what all benchmarks took
    names = [entrant.entrant for entrant in _entrants(report, benchmark)]
    sums = {
        name: EntrantRun(
            benchmark.name,
            name,
            run.latency_ms.get(name, {}) if alone else {},
            run.usage.get(name, {}) if alone else {},
        )
        for name in names
    }
    return sums | known


def _times(run: EntrantRun) -> dict[str, float]:
    return {step: run.latency_ms[f"{step}_p50"] for step in STEPS if f"{step}_p50" in run.latency_ms}


def _standings(
    report: EvaluationReport, benchmark: BenchmarkResult, metric: str, entrants: Sequence[EntrantResult]
) -> list[Standing]:
    means = {one.entrant: next(each.mean for each in one.metrics if each.metric == metric) for one in entrants}
    known = [mean for mean in means.values() if mean is not None]
    best, differ = max(known, key=lambda mean: mean * sense(benchmark, metric)), len(set(known)) > 1
    leaders = {entrant for entrant, mean in means.items() if mean == best}
    behind = {
        each.entrant if lead(benchmark, each) < 0 else each.baseline
        for each in report.comparisons
        if each.benchmark == benchmark.name
        and each.metric == metric
        and leaders & {each.entrant, each.baseline}
        and shown_different(each, report.request.options.confidence)
    }
    return [
        Standing(mean, differ and entrant in leaders, entrant in behind - leaders) for entrant, mean in means.items()
    ]
