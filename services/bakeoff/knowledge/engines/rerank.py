"""Query engine: what another one finds, in the order of a reranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.querying import Indexes, QueryEngine
from bakeoff.knowledge.registries import engines, rerankers
from bakeoff.knowledge.reranking import Reranker, reranked
from bakeoff.runtime.nested import INNER
from bakeoff.runtime.registry import Is


@engines.register(
    "rerank",
    facts={INNER: {"first": ComponentKind.QUERY_ENGINE.value, "reranker": ComponentKind.RERANKER.value}},
)
def rerank(
    *,
    reranker: Annotated[str, Is("signature of what scores passages, such as cross_encoder(directory=…)")],
    first: Annotated[str, Is("signature of the engine that finds them")] = "full_text_search",
    depth: Annotated[
        int, Is("passages that are found and scored, or as many as are asked for if more", minimum=1)
    ] = 50,
) -> QueryEngine:
    """Find passages, and put them in the order of a reranker.

    Scores are the reranker's; passages that it finds equal stay in the order in which they were found.
    """
    return Rerank(engines.make(ComponentSpec.parse(first)), rerankers.make(ComponentSpec.parse(reranker)), depth)


@dataclass(frozen=True, slots=True)
class Rerank:
    """Search, then a second look at what was found."""

    first: QueryEngine
    reranker: Reranker
    depth: int

    def search(self, indexes: Indexes, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return what the first engine finds, in the reranker's order."""
        found = self.first.search(indexes, queries, max(top_k, self.depth))
        return [
            reranked(hits, self.reranker.scores(query, indexes.texts(hits.chunks.tolist())), top_k)
            for query, hits in zip(queries, found, strict=True)
        ]
