"""What a reranker is: it reads a question together with each passage that was found for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.indexing import Hits


class Reranker(Protocol):
    """Scores passages for a question; deterministic and thread-safe; a score does not depend on other passages."""

    def scores(self, query: str, passages: Sequence[str]) -> NDArray[np.float64]:
        """Return how well each passage fits the question, higher is better, finite; shape (len(passages),)."""


def reranked(hits: Hits, scores: NDArray[np.float64], top_k: int) -> Hits:
    """Return the best of some hits by other scores; equal scores stay in the order in which they were found.

    Args:
        hits: As they were found.
        scores: The new ones, in the same order; shape (n,).
        top_k: From 1.

    Raises:
        InvalidInputError: there are more or fewer scores than hits, or one is not finite.
    """
    if scores.shape != hits.chunks.shape:
        raise InvalidInputError(f"the reranker gave {scores.size} scores for {len(hits.chunks)} passages")
    if not np.isfinite(scores).all():
        rank = int(np.flatnonzero(~np.isfinite(scores))[0]) + 1
        raise InvalidInputError(f"the reranker gave NaN or infinity for the passage of rank {rank}")
    order = np.argsort(-scores, kind="stable")[:top_k]
    return Hits(hits.chunks[order], scores[order])
