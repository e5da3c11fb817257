"""Query engine: the vector index alone."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.querying import Indexes, QueryEngine
from bakeoff.knowledge.registries import engines

INDEX = "dense"


@engines.register("vector_search", facts={"needs_indexes": [INDEX]})
def vector_search() -> QueryEngine:
    """Ask the vector index."""
    return VectorSearch()


class VectorSearch:
    """Search by vectors."""

    def search(self, indexes: Indexes, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return what the vector index finds."""
        return indexes.index(INDEX).search(queries, top_k)
