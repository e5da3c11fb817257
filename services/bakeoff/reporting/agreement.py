"""How far two or more raters agree beyond chance: Cohen's kappa, Krippendorff's alpha, Gwet's AC1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations

from bakeoff.domain.errors import InvalidInputError

Rating = str | int | float | bool


class Level(StrEnum):
    """What may be said of the distance between two ratings."""

    NOMINAL = "nominal"
    """They are equal, or they are not."""
    ORDINAL = "ordinal"
    """One is higher."""
    INTERVAL = "interval"
    """One is higher by so much."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a judge agrees with people; None where a figure is not defined, such as without any variation."""

    cases: int
    """Cases that both have rated: the figures are over these."""
    only_judge: int
    """Cases that no person has rated."""
    only_people: int
    """Cases that the judge has not, or not validly, rated."""
    share: float | None
    """Share of equal ratings."""
    kappa: float | None
    """Cohen's, unweighted."""
    weighted_kappa: float | None
    """Cohen's with quadratic weights; None for nominal ratings too."""
    alpha: float | None
    """Krippendorff's, at the level that was stated."""
    ac1: float | None
    """Gwet's, which holds where nearly all ratings are alike and kappa breaks down."""


def agreement_with_people(judge: Mapping[str, Rating], people: Mapping[str, Rating], level: Level) -> Agreement:
    """Compare a judge's ratings with people's, by case id, over the cases that both have rated.

    Args:
        judge: Valid ratings only; a judge's failure is no rating.
        people: One rating a case, on the same scale.
        level: What the scale means; ordinal and interval ratings are numbers.

    Raises:
        InvalidInputError: ratings that should be numbers are not.
    """
    common = sorted(judge.keys() & people.keys())
    left, right = [judge[case] for case in common], [people[case] for case in common]
    equal = sum(a == b for a, b in zip(left, right, strict=True))
    return Agreement(
        cases=len(common),
        only_judge=len(judge) - len(common),
        only_people=len(people) - len(common),
        share=equal / len(common) if common else None,
        kappa=cohen_kappa(left, right),
        weighted_kappa=None if level is Level.NOMINAL else cohen_kappa(left, right, quadratic=True),
        alpha=krippendorff_alpha(list(zip(left, right, strict=True)), level),
        ac1=gwet_ac1(left, right),
    )


def cohen_kappa(left: Sequence[Rating], right: Sequence[Rating], *, quadratic: bool = False) -> float | None:
    """Return Cohen's kappa of two raters.

    Args:
        left: Ratings of one, shape (n,).
        right: Ratings of the other, of the same cases in the same order.
        quadratic: Whether a disagreement counts by the square of its size; ratings are numbers then.

    Returns:
        A value ≤ 1; 0 is chance. None without a case, or when chance alone makes them agree always.

    Raises:
        InvalidInputError: they have not rated as many cases; or a weighted rating is no number.

    Source: Cohen 1960, doi:10.1177/001316446002000104; weights: Cohen 1968, doi:10.1037/h0026256.
    """
    _same_length(left, right)
    level = Level.INTERVAL if quadratic else Level.NOMINAL
    rows, columns = Counter(left), Counter(right)
    seen = sum(_distance(a, b, level) for a, b in zip(left, right, strict=True))
    chance = sum(rows[a] * columns[b] * _distance(a, b, level) for a in rows for b in columns)
    return 1.0 - len(left) * seen / chance if chance else None


def gwet_ac1(left: Sequence[Rating], right: Sequence[Rating]) -> float | None:
    """Return Gwet's AC1 of two raters.

    Chance is Σ π (1 − π) / (categories − 1) over the categories that either used.

    Returns:
        A value ≤ 1; 0 is chance. None without a case, or with a single category, of which chance says nothing.

    Raises:
        InvalidInputError: they have not rated as many cases.

    Source: Gwet 2008, doi:10.1348/000711006X126600.
    """
    _same_length(left, right)
    both = Counter(left) + Counter(right)
    if len(both) < 2:
        return None
    shares = [count / (2 * len(left)) for count in both.values()]
    chance = sum(share * (1 - share) for share in shares) / (len(both) - 1)
    equal = sum(a == b for a, b in zip(left, right, strict=True)) / len(left)
    return (equal - chance) / (1 - chance)


def krippendorff_alpha(units: Sequence[Sequence[Rating | None]], level: Level) -> float | None:
    """Return Krippendorff's alpha of any number of raters.

    Args:
        units: The ratings of each case, one for each rater, shape (cases, raters); None where a rater gave none.
        level: What the scale means; ordinal and interval ratings are numbers.

    Returns:
        A value ≤ 1; 0 is chance. None when no case has two ratings, or all ratings are the same.

    Raises:
        InvalidInputError: ratings that should be numbers are not.

    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability".
    """
    rated = [[rating for rating in unit if rating is not None] for unit in units]
    pairable = [unit for unit in rated if len(unit) > 1]
    counts = Counter(rating for unit in pairable for rating in unit)
    total = sum(counts.values())
    seen = sum(_distance(a, b, level, counts) / (len(unit) - 1) for unit in pairable for a, b in permutations(unit, 2))
    chance = sum(counts[a] * counts[b] * _distance(a, b, level, counts) for a in counts for b in counts)
    return 1.0 - (total - 1) * seen / chance if chance else None


def _distance(a: Rating, b: Rating, level: Level, counts: Mapping[Rating, int] | None = None) -> float:
    if level is Level.NOMINAL:
        return float(a != b)
    low, high = sorted((_number(a), _number(b)))
    if level is Level.INTERVAL:
        return (high - low) ** 2
    between = sum(count for rating, count in (counts or {}).items() if low <= _number(rating) <= high)
    ends = sum((counts or {}).get(rating, 0) for rating in (a, b)) / 2
    return (between - ends) ** 2 if low != high else 0.0


def _number(rating: Rating) -> float:
    if isinstance(rating, str):
        raise InvalidInputError(f"ordinal and interval ratings must be numbers, not {rating!r}")
    return float(rating)


def _same_length(left: Sequence[Rating], right: Sequence[Rating]) -> None:
    if len(left) != len(right):
        raise InvalidInputError(f"two raters must rate the same cases: {len(left)} and {len(right)} ratings")
