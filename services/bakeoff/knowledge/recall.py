"""How much of the truth an approximate search over vectors finds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.embedding import Vectors
from bakeoff.knowledge.nearest import Fetch, batches

RECALL = "recall_at_10"
"""Name of the measure, and of the array that keeps it."""
SAMPLE = 200
"""Queries of the measurement: its standard error is below 0.01."""
RANKS = 10
TIES = 2e-6
"""Products that differ by less are equal: any of several equal vectors will do."""


def measured_recall(fetch: Fetch, vectors: Vectors) -> float:
    """Return the share of the 10 vectors nearest to a vector, itself not counted, that a search finds, in [0, 1].

    It is the mean over 200 of the vectors, evenly spread. Questions that are far from all chunks may find less.

    Args:
        fetch: The search.
        vectors: All of them; shape (n, dimension), n > 1; perhaps mapped from a file.
    """
    sample = np.unique(np.linspace(0, len(vectors) - 1, SAMPLE).astype(np.int64))
    sample = sample[vectors[sample].any(axis=1)]
    if not len(sample):
        return 1.0  # nothing has a direction, so nothing can be missed
    queries = np.ascontiguousarray(vectors[sample])
    tenth, several = _tenth(queries, sample, vectors)
    found = fetch(queries, min(RANKS + 1, len(vectors)))
    shares = []
    for query, itself, least, there in zip(queries, sample, tenth, found, strict=True):
        others = there.scores(query)[there.chunks != itself]
        shares.append(min(int(np.count_nonzero(others >= least - TIES)), several) / several)
    return float(np.mean(shares))


def _tenth(queries: Vectors, sample: NDArray[np.int64], vectors: Vectors) -> tuple[NDArray[np.float32], int]:
    """Return the product of each query with the last of its nearest, and how many these are: 10, or all there are."""
    several = min(RANKS, len(vectors) - 1)
    scores = np.full((len(sample), several), -np.inf, np.float32)
    for first, batch in batches(vectors):
        block = queries @ batch.T
        inside = np.flatnonzero((sample >= first) & (sample < first + len(batch)))
        block[inside, sample[inside] - first] = -np.inf
        both = np.concatenate((scores, block), axis=1)
        scores = -np.partition(-both, several - 1, axis=1)[:, :several]
    return scores.min(axis=1), several
