"""Pairs of entrants on one benchmark: the difference of their means, how sure it is, and who won how often."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from bakeoff.domain.report import Comparison
from bakeoff.domain.score import MetricCard
from bakeoff.reporting.statistics import RELATIVE_TOLERANCE, holm, mean, mean_interval, seed_of, sign_flip_p

ALL_PAIRS_UP_TO = 12
"""Entrants up to which every pair is compared; with more, each is compared with the first alone."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One entrant's values under one metric."""

    entrant: str
    values: Sequence[float | None]
    """One for each case; None when it does not count, as `paired_value` says."""


def compare_all(
    benchmark: str, card: MetricCard, contenders: Sequence[Contender], *, level: float, seed: int
) -> list[Comparison]:
    """Return the comparisons of a metric's contenders: each with those before it, p-values adjusted over all of them.

    Args:
        benchmark: Name, for the result and the seed.
        card: The metric.
        contenders: At least none; the earlier of a pair is the baseline.
        level: Confidence of the intervals.
        seed: The evaluation's seed.
    """
    pairs = list(combinations(contenders, 2))
    if len(contenders) > ALL_PAIRS_UP_TO:
        pairs = [pair for pair in pairs if pair[0] is contenders[0]]
    compared = [compare_pair(benchmark, card, entrant, baseline, level=level, seed=seed) for baseline, entrant in pairs]
    return adjust(compared)


def adjust(compared: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons with p-values adjusted for their number, by Holm."""
    tested = [each.p_value for each in compared if each.p_value is not None]
    adjusted = iter(holm(tested))
    return [each if each.p_value is None else replace(each, p_adjusted=next(adjusted)) for each in compared]


def compare_pair(
    benchmark: str, card: MetricCard, entrant: Contender, baseline: Contender, *, level: float, seed: int
) -> Comparison:
    """Return the comparison of two contenders over the same cases; its p-value is not adjusted yet."""
    differences = [
        0.0 if math.isclose(ours, theirs, rel_tol=RELATIVE_TOLERANCE) else ours - theirs
        for ours, theirs in zip(entrant.values, baseline.values, strict=True)
        if ours is not None and theirs is not None
    ]
    widest = None if card.maximum is None else card.maximum - card.minimum
    lowest = float("-inf") if widest is None else -widest
    better = -1.0 if card.lower_is_better else 1.0
    return Comparison(
        benchmark,
        card.name,
        entrant.entrant,
        baseline.entrant,
        cases=len(differences),
        difference=mean(differences) if differences else 0.0,
        interval=mean_interval(differences, level, lowest, widest),
        p_value=sign_flip_p(differences, seed_of(seed, benchmark, card.name, entrant.entrant, baseline.entrant)),
        p_adjusted=None,
        wins=sum(difference * better > 0 for difference in differences),
        ties=sum(difference == 0 for difference in differences),
        losses=sum(difference * better < 0 for difference in differences),
    )
