"""Means, intervals and tests over the cases of an evaluation."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from bakeoff.domain.report import Interval

EXACT_UP_TO = 20
"""Differences that are not 0, up to which all 2^n signs are tried: half a million sums, some milliseconds."""
FLIPS = 9_999
"""Random sign flips beyond that: with the observed one 10,000, so p is told to 0.0001."""
RELATIVE_TOLERANCE = 1e-12
"""Sums of the same numbers in another order are the same; in units of the sum of magnitudes."""


def mean(values: Sequence[float]) -> float:
    """Return the mean, rounded once, so that it does not depend on the order.

    Args:
        values: At least one number.
    """
    return math.fsum(values) / len(values)


def mean_interval(values: Sequence[float], level: float, low: float, high: float | None) -> Interval | None:
    """Return an interval for the mean of independent values: Student's, or of values that are all equal Wilson's.

    Args:
        values: One number a case.
        level: Confidence in (0, 1).
        low: Least possible value; minus infinity when there is no bound.
        high: Greatest possible value; None when there is no bound.

    Returns:
        None below two values, and when all are equal but have no bounds: then they tell nothing of their spread.
    """
    if len(values) < 2:
        return None
    least, greatest = min(values), max(values)
    if greatest - least > RELATIVE_TOLERANCE * max(abs(least), abs(greatest)):
        return t_interval(values, level, low, high)
    if high is None or math.isinf(low) or math.isinf(high):
        return None
    return unvaried_interval(least, len(values), level, low, high)


def unvaried_interval(value: float, count: int, level: float, low: float, high: float) -> Interval | None:
    """Return an interval for the mean of bounded values of which all that were seen are equal.

    Student's would be a point, as if no further case could differ. If a share q of all cases has another value, their
    mean lies within value - q (value - low) and value + q (high - value); q is at most the upper limit of Wilson's
    interval for none of `count`, z² / (count + z²). Of values that are all 1, or all 0, that is Wilson's of a share.

    Args:
        value: What all are.
        count: How many.
        level: Confidence in (0, 1).
        low: Least possible value.
        high: Greatest possible value.

    Returns:
        None below two values.

    Source: Wilson 1927, as `wilson_interval`; for a share that was never seen, Hanley & Lippman-Hand 1983, "If nothing
    goes wrong, is everything all right?", JAMA 249, doi:10.1001/jama.1983.03330370053031.
    """
    others = wilson_interval(0, count, level)
    if others is None:
        return None
    share = others.high
    # A failed case counts as 0, which may lie outside of a metric's range.
    below, above = max(value - low, 0.0), max(high - value, 0.0)
    return Interval(value - share * below, value + share * above, level, "wilson_unvaried")


def t_interval(values: Sequence[float], level: float, low: float, high: float | None) -> Interval | None:
    """Return Student's interval for the mean of independent values, cut to the values' range.

    Args:
        values: One number a case.
        level: Confidence in (0, 1).
        low: Least possible value.
        high: Greatest possible value; None when there is no bound.

    Returns:
        None below two values.

    Source: Student 1908; quantile of the t distribution with n - 1 degrees of freedom.
    """
    count = len(values)
    if count < 2:
        return None
    centre = mean(values)
    variance = math.fsum((value - centre) ** 2 for value in values) / (count - 1)
    from scipy.special import stdtrit  # here: it takes a third of a second, which a start need not wait for

    half = float(stdtrit(count - 1, 0.5 + level / 2)) * math.sqrt(variance / count)
    top = math.inf if high is None else high
    return Interval(max(centre - half, low), min(centre + half, top), level, "student_t")


def wilson_interval(successes: int, count: int, level: float) -> Interval | None:
    """Return Wilson's score interval for a proportion.

    Args:
        successes: Cases with 1.
        count: All cases.
        level: Confidence in (0, 1).

    Returns:
        None below two cases.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA 22.
    """
    if count < 2:
        return None
    from scipy.special import ndtri  # as above

    z = float(ndtri(0.5 + level / 2))
    share = successes / count
    centre = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return Interval(max((centre - half) / scale, 0.0), min((centre + half) / scale, 1.0), level, "wilson")


def sign_flip_p(differences: Sequence[float], seed: int) -> float | None:
    """Return the two-sided p-value of a paired randomisation test on the sum of differences.

    Under the null hypothesis each difference is as likely to have the other sign. All signs are tried for up to
    20 differences that are not 0; otherwise 9,999 random ones, and p = (count + 1) / (9,999 + 1).

    Args:
        differences: One number a case, entrant minus baseline.
        seed: The same seed gives the same p.

    Returns:
        A value in (0, 1]; 1 when all differences are 0; None below two cases.

    Source: Fisher 1935; Smucker, Allan & Carterette 2007, doi:10.1145/1321440.1321528; Phipson & Smyth 2010 for + 1.
    """
    if len(differences) < 2:
        return None
    # Sorted, so that the random signs do not fall on other cases when the cases come in another order.
    moved = np.sort(np.array([value for value in differences if value != 0.0], dtype=np.float64))
    if moved.size == 0:
        return 1.0
    observed = abs(math.fsum(moved)) - RELATIVE_TOLERANCE * float(np.abs(moved).sum())
    if moved.size <= EXACT_UP_TO:
        return _share_of_all_signs(moved, observed)
    sums = _random_sums(moved, np.random.default_rng(seed))
    return (int(np.count_nonzero(np.abs(sums) >= observed)) + 1) / (FLIPS + 1)


def _share_of_all_signs(moved: np.ndarray, observed: float) -> float:
    # The first sign stays: flipping all signs gives the same magnitude.
    sums = moved[:1]
    for value in moved[1:]:
        sums = np.concatenate((sums + value, sums - value))
    return int(np.count_nonzero(np.abs(sums) >= observed)) / sums.size


def _random_sums(moved: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return the sums under random signs; shape (FLIPS,).

    Eight differences at a time: the sums of their 256 sign patterns are looked up by a random byte, so memory does
    not grow with the number of cases.
    """
    signs = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    padded = np.concatenate((moved, np.zeros(-moved.size % 8)))
    sums = np.zeros(FLIPS)
    for group in padded.reshape(-1, 8):
        sums += (signs @ group)[random.integers(0, 256, FLIPS, dtype=np.uint8)]
    return sums


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number, in the same order.

    Source: Holm 1979, "A simple sequentially rejective multiple test procedure".
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for place, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = running
    return adjusted


def seed_of(*names: object) -> int:
    """Return a seed that depends on exactly these names."""
    text = "\0".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
