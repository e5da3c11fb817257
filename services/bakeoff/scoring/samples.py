"""Several samples of one answer made into one figure: pass@k, G-pass@k, the majority's answer, the mean."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

from bakeoff.domain.errors import InvalidInputError

Answer = TypeVar("Answer", bound=Hashable)


def pass_at_k(*, samples: int, right: int, k: int) -> float:
    """Return the chance that at least one of k samples, drawn without putting back, is right. Unbiased.

    1 − C(n − c, k) / C(n, k); exact integers, so that large n neither overflow nor round.

    Args:
        samples: Samples that were taken, n ≥ k.
        right: Those that are right, c in [0, n].
        k: Samples that are drawn, from 1.

    Raises:
        InvalidInputError: a number is out of its range: with fewer samples than k there is no unbiased estimate.

    Source: Chen et al. 2021, arXiv:2107.03374, equation 1.
    """
    _check(samples, right, k)
    return 1.0 - math.comb(samples - right, k) / math.comb(samples, k)


def g_pass_at_k(*, samples: int, right: int, k: int, threshold: float) -> float:
    """Return the chance that at least the share `threshold` of k samples is right; at least one of them.

    Args:
        samples: Samples that were taken, n ≥ k.
        right: Those that are right, c in [0, n].
        k: Samples that are drawn, from 1.
        threshold: Share in [0, 1]; 0 gives pass@k, 1 gives the chance that all are right.

    Raises:
        InvalidInputError: a number is out of its range.

    Source: Liu et al. 2024, "Are your LLMs capable of stable reasoning?", arXiv:2412.13147.
    """
    _check(samples, right, k)
    if not 0.0 <= threshold <= 1.0:
        raise InvalidInputError(f"the threshold of G-pass@k must be in [0, 1], not {threshold}")
    # A product such as (7 / 25) · 25 = 7.000000000000001 must not become 8.
    least = max(math.ceil(threshold * k - 1e-9), 1)
    ways = sum(math.comb(right, hits) * math.comb(samples - right, k - hits) for hits in range(least, k + 1))
    return ways / math.comb(samples, k)


def mean_g_pass_at_k(*, samples: int, right: int, k: int) -> float:
    """Return mG-pass@k: twice the mean area under G-pass@k over thresholds from one half to one.

    (2 / k) · Σ G-pass@k at i / k, for i from ⌈k / 2⌉ + 1 to k; 0 for k = 1.

    Raises:
        InvalidInputError: a number is out of its range.

    Source: Liu et al. 2024, arXiv:2412.13147.
    """
    _check(samples, right, k)
    shares = [steps / k for steps in range(math.ceil(k / 2) + 1, k + 1)]
    return 2 / k * sum(g_pass_at_k(samples=samples, right=right, k=k, threshold=share) for share in shares)


def majority(answers: Sequence[Answer | None]) -> Answer | None:
    """Return the answer that most samples give; of several such, the one that was seen first.

    Args:
        answers: What was extracted from each sample, in a form in which equal answers are equal; None where nothing
            was: it has no vote.

    Returns:
        The majority's answer; None when no sample gave any.
    """
    votes = Counter(answer for answer in answers if answer is not None)
    # Counter keeps the order of first sight, and max takes the first of equals.
    return max(votes, key=lambda answer: votes[answer], default=None)


def mean_over_samples(values: Sequence[float | None], planned: int | None = None) -> float:
    """Return the mean value of the samples; a sample that failed counts as 0.

    Args:
        values: The value of each sample; None for one that failed.
        planned: Samples that were asked for, when some are not even in `values`; None means all are.

    Raises:
        InvalidInputError: there is no sample, or there are more than planned.
    """
    count = len(values) if planned is None else planned
    if count < max(len(values), 1):
        raise InvalidInputError(
            f"a mean over samples needs at least one, and no more than planned: {len(values)} of {count}"
        )
    return math.fsum(value for value in values if value is not None) / count


def _check(samples: int, right: int, k: int) -> None:
    if not 1 <= k <= samples:
        raise InvalidInputError(f"pass@k needs 1 ≤ k ≤ samples, not k={k} with {samples} samples")
    if not 0 <= right <= samples:
        raise InvalidInputError(f"the right samples must be between 0 and {samples}, not {right}")
