"""Two reports case by case: what is better, by how much and how surely, where both asked the same case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.domain.report import Comparison, EvaluationReport
from bakeoff.domain.score import MetricCard
from bakeoff.reporting.comparisons import Contender, adjust, compare_pair
from bakeoff.reporting.statistics import mean

CaseName = tuple[str, str]
"""A unit's id and a case's."""
Values = Mapping[tuple[str, str, str], Mapping[CaseName, float | None]]
"""By (benchmark, entrant, metric), what each case counts as beside another one's, as `paired_value` says."""


@dataclass(frozen=True, slots=True)
class Change:
    """One metric of one entrant on one benchmark, in a report and in the baseline."""

    comparison: Comparison
    """Report minus baseline over the cases that count in both; p-values are adjusted over the entrants of the metric
    and benchmark."""
    mean: float | None
    """Of those cases in the report; None when there are none."""
    baseline_mean: float | None
    """Of those cases in the baseline; None when there are none."""
    one_sided: int
    """Cases that count in one of the two alone, and so not here."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed on one benchmark."""

    benchmark: str
    changes: tuple[Change, ...]
    """By metric, then entrant, in the report's order."""
    other_data: bool
    """Whether the benchmark's documents, cases or judgements are not the baseline's."""
    other_methods: tuple[str, ...]
    """Metrics that both have, but scored by another method, other settings or another version: not compared."""


def compare_cases(
    report: EvaluationReport,
    baseline: EvaluationReport,
    values: Values,
    baseline_values: Values,
    renamed: Mapping[str, str] | None = None,
) -> tuple[Changes, ...]:
    """Return the changes on each benchmark that both reports have, in the report's order.

    Intervals and tests are those of a report, with its confidence and seed: Student's or Wilson's interval of the
    paired differences, and the paired randomisation test.

    Args:
        report: What is looked at.
        baseline: What it is measured against.
        values: The report's.
        baseline_values: The baseline's.
        renamed: Entrant of the baseline by that of the report, for those to compare; None compares those of one name.
    """
    known = {each.name: each for each in baseline.benchmarks}
    found = []
    for benchmark in report.benchmarks:
        before = known.get(benchmark.name)
        if before is None:
            continue
        cards = {card.name: card for card in before.metrics}
        both = [card for card in benchmark.metrics if card.name in cards]
        pairs = _pairs(report, baseline, benchmark.name, renamed)
        changes: list[Change] = []
        for card in both:
            if card == cards[card.name]:
                changes += _changes(report, benchmark.name, card, pairs, values, baseline_values)
        found.append(
            Changes(
                benchmark.name,
                tuple(changes),
                other_data=benchmark.fingerprint != before.fingerprint,
                other_methods=tuple(card.name for card in both if card != cards[card.name]),
            )
        )
    return tuple(found)


def _pairs(
    report: EvaluationReport, baseline: EvaluationReport, benchmark: str, renamed: Mapping[str, str] | None
) -> list[tuple[str, str]]:
    """Return (entrant, entrant of the baseline) of a benchmark, in the report's order."""
    ours = [each.entrant for each in report.entrants if each.benchmark == benchmark]
    theirs = {each.entrant for each in baseline.entrants if each.benchmark == benchmark}
    wanted = [(name, name if renamed is None else renamed.get(name, "")) for name in ours]
    return [(name, before) for name, before in wanted if before in theirs]


def _changes(
    report: EvaluationReport,
    benchmark: str,
    card: MetricCard,
    pairs: Sequence[tuple[str, str]],
    values: Values,
    baseline_values: Values,
) -> list[Change]:
    options = report.request.options
    changes = []
    for entrant, before in pairs:
        ours = _counting(values.get((benchmark, entrant, card.name), {}))
        theirs = _counting(baseline_values.get((benchmark, before, card.name), {}))
        cases = [case for case in ours if case in theirs]
        now, then = [ours[case] for case in cases], [theirs[case] for case in cases]
        comparison = compare_pair(
            benchmark,
            card,
            Contender(entrant, now),
            Contender(before, then),
            level=options.confidence,
            seed=options.seed,
        )
        ours_mean, theirs_mean = (mean(now), mean(then)) if cases else (None, None)
        changes.append(Change(comparison, ours_mean, theirs_mean, len(ours) + len(theirs) - 2 * len(cases)))
    adjusted = adjust([each.comparison for each in changes])
    return [replace(each, comparison=comparison) for each, comparison in zip(changes, adjusted, strict=True)]


def _counting(values: Mapping[CaseName, float | None]) -> dict[CaseName, float]:
    return {case: value for case, value in values.items() if value is not None}
