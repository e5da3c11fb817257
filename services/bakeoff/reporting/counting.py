"""What a score counts as: in a headline mean, beside another entrant's, and in the figure of a whole corpus."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bakeoff.domain.answer import FailureKind
from bakeoff.domain.score import MetricCard, Outcome, Score
from bakeoff.reporting.statistics import mean


def headline_value(score: Score, card: MetricCard) -> float | None:
    """Return what a score counts as in headline means.

    A failed case counts as 0. Where lower is better that would be the best there is: it counts as the metric's
    maximum, and does not count at all when there is none.

    Returns:
        None when it is not applicable, or failed and cannot be counted.
    """
    if score.outcome is Outcome.NOT_APPLICABLE:
        return None
    return card.worst if score.value is None else score.value


def paired_value(score: Score, card: MetricCard) -> float | None:
    """Return what a score counts as beside another entrant's: as in the headline, but None when the judge failed.

    A judge that could not be read says nothing of the entrant: with 0 for it, the entrant that met more such judges
    would lose to a worse one.
    """
    judged = score.failure is None or score.failure.kind is not FailureKind.JUDGE
    return headline_value(score, card) if judged else None


def pooled_value(scores: Sequence[Score], card: MetricCard) -> float | None:
    """Return the figure of all scored cases as one corpus, each by its weight.

    A weighted geometric mean of perplexities by their units is e to the power of minus all log-probabilities by all
    units; a weighted mean of bits per byte by bytes is all bits by all bytes.

    Returns:
        None when the metric has no such figure, or no scored case has a weight.

    Source: lm-evaluation-harness, weighted_perplexity and bits_per_byte.
    """
    found = [(score.value, score.weight) for score in scores if score.value is not None and score.weight]
    if not card.pooling or not found:
        return None
    total = math.fsum(weight for _, weight in found)
    if card.pooling == "weighted_mean":
        return math.fsum(value * weight for value, weight in found) / total
    if any(value <= 0.0 for value, _ in found):
        return 0.0
    return math.exp(math.fsum(math.log(value) * weight for value, weight in found) / total)


def counted_mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of those that count; None when none does."""
    counted = [value for value in values if value is not None]
    return mean(counted) if counted else None
