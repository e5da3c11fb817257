"""Query engine: words and vectors, fused by ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.engines import full_text_search, vector_search
from bakeoff.knowledge.indexing import Hits, best
from bakeoff.knowledge.querying import Indexes, QueryEngine
from bakeoff.knowledge.registries import engines
from bakeoff.runtime.registry import Is

NEEDED = (full_text_search.INDEX, vector_search.INDEX)


@engines.register("hybrid_search", facts={"needs_indexes": list(NEEDED)})
def hybrid_search(
    *,
    fusion: Annotated[Literal["rrf"], Is("how the lists become one: reciprocal rank fusion")] = "rrf",
    k: Annotated[int, Is("how little the first ranks stand out", minimum=0)] = 60,
    depth: Annotated[
        int, Is("hits that are taken from each index, or as many as are asked for if more", minimum=1)
    ] = 100,
) -> QueryEngine:
    """Ask the word index and the vector index, and fuse what they find.

    A chunk's score is the sum of 1 / (k + rank) over the lists that hold it, ranks from 1.

    Source: Cormack, Clarke & Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR; k = 60 as there.
    """
    return HybridSearch(k, depth)


@dataclass(frozen=True, slots=True)
class HybridSearch:
    """Search by words and by vectors."""

    k: int
    depth: int

    def search(self, indexes: Indexes, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return the fused lists."""
        depth = max(top_k, self.depth)
        lists = [indexes.index(name).search(queries, depth) for name in NEEDED]
        return [fuse([hits.chunks for hits in found], self.k, top_k) for found in zip(*lists, strict=True)]


def fuse(rankings: Sequence[NDArray[np.int64]], k: int, top_k: int) -> Hits:
    """Return the best of several rankings by the sum of 1 / (k + rank).

    Args:
        rankings: Chunks best first; each of shape (n,).
        k: From 0.
        top_k: From 1.
    """
    chunks, place = np.unique(np.concatenate(rankings), return_inverse=True)
    shares = np.concatenate([1.0 / (k + np.arange(1, len(ranking) + 1)) for ranking in rankings])
    scores = np.zeros(len(chunks))
    np.add.at(scores, place, shares)
    return best(chunks, scores, top_k)
