"""Query engine: words and vectors, fused by ranks or by scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from bakeoff.knowledge.engines import full_text_search, vector_search
from bakeoff.knowledge.fusing import fuse_ranks, fuse_scores
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.querying import Indexes, QueryEngine
from bakeoff.knowledge.registries import engines
from bakeoff.runtime.registry import Is

NEEDED = (full_text_search.INDEX, vector_search.INDEX)


@engines.register("hybrid_search", facts={"needs_indexes": list(NEEDED)})
def hybrid_search(
    *,
    fusion: Annotated[
        Literal["rrf", "weighted"],
        Is("how the lists become one: by reciprocal ranks, or by the weighted sum of scores brought to [0, 1]"),
    ] = "rrf",
    k: Annotated[int, Is("how little the first ranks stand out; only rrf", minimum=0)] = 60,
    weight: Annotated[
        float,
        Is("what the vectors' scores count, the words' counting the rest to 1; only weighted", minimum=0, maximum=1),
    ] = 0.5,
    depth: Annotated[
        int, Is("hits that are taken from each index, or as many as are asked for if more", minimum=1)
    ] = 100,
) -> QueryEngine:
    """Ask the word index and the vector index, and fuse what they find.

    With `rrf` a chunk's score is the sum of 1 / (k + rank) over the lists that hold it, ranks from 1. With `weighted`
    the scores of each list are scaled so that its best is 1 and its worst 0 (all 1 when they are equal), and a chunk's
    score is (1 - weight) times that among the words' plus weight times that among the vectors', 0 where a list lacks
    it. Equal scores are in the order of the chunks.

    Source: Cormack, Clarke & Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR; k = 60 as there.
    """
    return HybridSearch(fusion, k, weight, depth)


@dataclass(frozen=True, slots=True)
class HybridSearch:
    """Search by words and by vectors."""

    fusion: str
    k: int
    weight: float
    depth: int

    def search(self, indexes: Indexes, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return the fused lists."""
        depth = max(top_k, self.depth)
        lists = [indexes.index(name).search(queries, depth) for name in NEEDED]
        return [self._fused(found, top_k) for found in zip(*lists, strict=True)]

    def _fused(self, found: Sequence[Hits], top_k: int) -> Hits:
        if self.fusion == "rrf":
            return fuse_ranks([hits.chunks for hits in found], self.k, top_k)
        return fuse_scores(found, (1 - self.weight, self.weight), top_k)
