"""Fusing what several indexes find: by ranks, or by scores that are brought to one scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.indexing import Hits, best

DECIMALS = 12
"""Digits of a fused score that count, so that a sum's last bit breaks no tie."""


def fuse_ranks(rankings: Sequence[NDArray[np.int64]], k: int, top_k: int) -> Hits:
    """Return the best of several rankings by the sum of 1 / (k + rank), ranks from 1.

    Args:
        rankings: Chunks best first; each of shape (n,).
        k: From 0.
        top_k: From 1.

    Source: Cormack, Clarke & Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR.
    """
    return _summed(rankings, [1.0 / (k + np.arange(1, len(ranking) + 1)) for ranking in rankings], top_k)


def fuse_scores(found: Sequence[Hits], weights: Sequence[float], top_k: int) -> Hits:
    """Return the best of several rankings by the weighted sum of their scores, each brought to [0, 1].

    Within a ranking its best score becomes 1 and its worst 0; when all are equal they become 1. A chunk that a ranking
    does not hold has 0 there.

    Args:
        found: What each index found for one query.
        weights: One for each, from 0.
        top_k: From 1.

    Source: min-max normalisation and CombSUM, as in Lee 1997, "Analyses of Multiple Evidence Combination", SIGIR.
    """
    shares = [weight * _scaled(hits.scores) for hits, weight in zip(found, weights, strict=True)]
    return _summed([hits.chunks for hits in found], shares, top_k, DECIMALS)


def _scaled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.ones(len(scores))


def _summed(
    rankings: Sequence[NDArray[np.int64]],
    shares: Sequence[NDArray[np.float64]],
    top_k: int,
    decimals: int | None = None,
) -> Hits:
    chunks, place = np.unique(np.concatenate(rankings), return_inverse=True)
    scores = np.zeros(len(chunks))
    np.add.at(scores, place, np.concatenate(shares))
    return best(chunks, scores if decimals is None else np.round(scores, decimals), top_k)
