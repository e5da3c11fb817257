"""Numbers and findings in words, the same on the page and on a terminal."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bakeoff.domain.recipe import Entrant
from bakeoff.domain.report import BenchmarkResult, Comparison, EntrantResult, EvaluationReport, Interval, MetricSummary
from bakeoff.reporting.direction import failed_in_words, lead, sense

ABSENT = "–"
SECONDS_FROM_MS = 10_000
"""Times from here on are told in seconds."""
MINUS = "−"
NAMED_IN_VERDICT = 4
"""Rivals that a verdict compares the leader with."""
ROUNDING = 1e-9
"""Differences of equal means that arithmetic leaves."""


def number(value: float | None, digits: int = 4) -> str:
    """Return a number with so many digits behind the point; a dash when there is none."""
    if value is None:
        return ABSENT
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", MINUS)


def signed(value: float, digits: int = 4) -> str:
    """Return a difference with its sign; 0 has none."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", MINUS)


def interval(found: Interval | None, digits: int = 4) -> str:
    """Return an interval as `[low, high]`; a dash when there is none."""
    return ABSENT if found is None else f"[{number(found.low, digits)}, {number(found.high, digits)}]"


def probability(value: float | None) -> str:
    """Return a p-value as `p = 0.012`, or `p < 0.001`."""
    text = p_number(value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def p_number(value: float | None) -> str:
    """Return a p-value for a column of them."""
    if value is None:
        return ABSENT
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def size(count: int) -> str:
    """Return a number of bytes with a unit a person reads."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def seconds(value: float) -> str:
    """Return a duration."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def milliseconds(value: float | None) -> str:
    """Return a time that is known in milliseconds; a dash when there is none."""
    return ABSENT if value is None else duration(value)


def duration(value_ms: float) -> str:
    """Return a time in milliseconds, or in seconds where it is long."""
    return f"{value_ms:.2f} ms" if value_ms < SECONDS_FROM_MS else f"{value_ms / 1000:,.1f} s"


def count(value: float | None) -> str:
    """Return a whole number with its thousands apart; a dash when there is none."""
    return ABSENT if value is None else f"{value:,.0f}"


def money(value: float | None) -> str:
    """Return an amount of a currency; a dash when there is none, and no 0 for what is more."""
    if value is None:
        return ABSENT
    if 0 < value < 0.0001:
        return "< 0.0001"
    return f"{value:,.2f}" if value >= 100 else f"{value:.4f}"


def labels(report: EvaluationReport) -> dict[str, str]:
    """Return how each entrant is called: by its recipe alone when the recipe has one query mode."""
    return {
        str(Entrant.of(recipe, mode)): recipe.name if len(recipe.modes) == 1 else str(Entrant.of(recipe, mode))
        for recipe in report.request.recipes
        for mode in recipe.modes
    }


def provenance(report: EvaluationReport) -> str:
    """Return whose answers a re-scoring judges, in a sentence; empty for a report of its own answers."""
    rescoring = report.request.rescoring
    if rescoring is None:
        return ""
    return (
        f"Re-scored: the answers, and what they took, are those of evaluation {rescoring.evaluation_id}; only the "
        "scores are new."
    )


def shown_different(comparison: Comparison, level: float) -> bool:
    """Return whether a difference is shown: the adjusted p-value is below 1 - level."""
    return comparison.p_adjusted is not None and comparison.p_adjusted < 1 - level


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a benchmark says, in sentences."""

    headline: str
    others: tuple[str, ...]
    """The leader against the entrants behind the second."""
    warnings: tuple[str, ...]
    """What makes the numbers less than they seem."""


def main_metric(entrants: list[EntrantResult]) -> str | None:
    """Return the first metric that says anything of any entrant; None when none does."""
    for summary in entrants[0].metrics if entrants else ():
        if any(each.metric == summary.metric and each.mean is not None for one in entrants for each in one.metrics):
            return summary.metric
    return None


def verdict(report: EvaluationReport, benchmark: BenchmarkResult) -> Verdict:
    """Return what a benchmark says of its entrants, by its first metric."""
    entrants = [entrant for entrant in report.entrants if entrant.benchmark == benchmark.name]
    warnings = _warnings(benchmark, entrants, labels(report))
    metric = main_metric(entrants)
    if metric is None:
        return Verdict("Nothing could be measured: no metric applies to any case.", (), warnings)
    better = sense(benchmark, metric)
    ranked = sorted(
        ((_summary(entrant, metric), entrant) for entrant in entrants),
        key=lambda pair: -math.inf if pair[0].mean is None else pair[0].mean * better,
        reverse=True,
    )
    if all(entrant.failed_cases == entrant.planned_cases for entrant in entrants):
        return Verdict("Every case failed: there is nothing to compare.", (), warnings)
    ranked = _leader_first(report, benchmark, metric, ranked)
    best, leader = ranked[0]
    name = labels(report)[leader.entrant]
    if len(ranked) == 1:
        return Verdict(f"{name} scores {metric} {number(best.mean, 3)} {_around(best.interval)}.", (), warnings)
    rivals = [(rival, _comparison(report, benchmark.name, metric, leader, rival)) for _, rival in ranked[1:]]
    level = report.request.options.confidence
    compared = [each for _, each in rivals if each][:NAMED_IN_VERDICT]
    sentences = tuple(_sentence(benchmark, each, leader.entrant, labels(report), level) for each in compared)
    most = "highest" if better > 0 else "lowest"
    standing = f"{name} has the {most} {metric}, {number(best.mean, 3)} {_around(best.interval)}"
    (second, closest), *_ = rivals
    if closest is None:
        return Verdict(f"{standing}.", sentences, warnings)
    means = [summary.mean * better for summary, _ in ranked if summary.mean is not None]
    if best.mean is not None and max(means) > best.mean * better:
        return Verdict(sentences[0], sentences[1:], warnings)  # it leads where both were judged, not by its mean
    if shown_different(closest, level) or closest.difference == 0:
        return Verdict(sentences[0], sentences[1:], warnings)
    doubt = f", but is not shown to be better than {labels(report)[second.entrant]}."
    return Verdict(standing + doubt, sentences, warnings)


def _leader_first(
    report: EvaluationReport, benchmark: BenchmarkResult, metric: str, ranked: list[tuple[MetricSummary, EntrantResult]]
) -> list[tuple[MetricSummary, EntrantResult]]:
    """Return entrants by their means, but first the one that no other is ahead of over the cases of both.

    The two differ where a judge failed: such a case counts as 0 in a mean, and not between two entrants; and where
    failed cases cannot be counted, so that each mean is over other cases.
    """
    for place, (_, leader) in enumerate(ranked):
        rivals = [rival for _, rival in ranked if rival is not leader]
        compared = [(rival, _comparison(report, benchmark.name, metric, leader, rival)) for rival in rivals]
        if not any(each and _lead(benchmark, each, leader) < -ROUNDING for _, each in compared):
            return [ranked[place], *ranked[:place], *ranked[place + 1 :]]
    return ranked


def _lead(benchmark: BenchmarkResult, each: Comparison, entrant: EntrantResult) -> float:
    ahead = lead(benchmark, each)
    return ahead if each.entrant == entrant.entrant else -ahead


def _summary(entrant: EntrantResult, metric: str) -> MetricSummary:
    return next(summary for summary in entrant.metrics if summary.metric == metric)


def _comparison(
    report: EvaluationReport, benchmark: str, metric: str, leader: EntrantResult, rival: EntrantResult
) -> Comparison | None:
    """Return the comparison of the leader with a rival; None when the two were not compared."""
    for each in report.comparisons:
        if each.benchmark != benchmark or each.metric != metric or not each.cases:
            continue
        if {each.entrant, each.baseline} == {leader.entrant, rival.entrant}:
            return each
    return None


def _around(found: Interval | None) -> str:
    return interval(found, 3) if found else "(no interval)"


def _sentence(benchmark: BenchmarkResult, each: Comparison, leader: str, names: dict[str, str], level: float) -> str:
    # A comparison has the earlier entrant as its baseline; a sentence has the better one first.
    turned = each.entrant != leader
    rival = each.entrant if turned else each.baseline
    difference = -each.difference if turned else each.difference
    around = each.interval
    if turned and around:
        around = Interval(-around.high, -around.low, around.level, around.method)
    facts = f"{_around(around)}, {probability(each.p_adjusted)}"
    if shown_different(each, level) and sense(benchmark, each.metric) < 0:
        ahead = "ahead of" if difference < 0 else "behind"
        return (
            f"{names[leader]} is {ahead} {names[rival]} on {each.metric}, where lower is better: "
            f"{signed(difference, 3)} {facts}."
        )
    if shown_different(each, level):
        return f"{names[leader]} is ahead of {names[rival]} on {each.metric} by {number(difference, 3)} {facts}."
    return (
        f"No difference is shown between {names[leader]} and {names[rival]} on {each.metric}: "
        f"{signed(difference, 3)} {facts}."
    )


def _where(entrant: EntrantResult) -> str:
    """Return that not every metric lost all of the failed cases, as when a judge failed; empty when each did."""
    return (
        " in at least one metric"
        if any(each.failed + each.not_applicable < entrant.failed_cases for each in entrant.metrics)
        else ""
    )


def _warnings(benchmark: BenchmarkResult, entrants: list[EntrantResult], names: dict[str, str]) -> tuple[str, ...]:
    counts_as = failed_in_words(benchmark.metrics)
    return tuple(
        f"{each.failed_cases} of {each.planned_cases} cases failed for {names[each.entrant]}{_where(each)} "
        f"and {counts_as}: " + ", ".join(f"{count} {kind}" for kind, count in each.failures.items()) + "."
        for each in entrants
        if each.failed_cases
    )
