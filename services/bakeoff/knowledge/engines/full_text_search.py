"""Query engine: the word index alone."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.querying import Indexes, QueryEngine
from bakeoff.knowledge.registries import engines

INDEX = "bm25"


@engines.register("full_text_search", facts={"needs_indexes": [INDEX]})
def full_text_search() -> QueryEngine:
    """Ask the word index."""
    return FullTextSearch()


class FullTextSearch:
    """Search by words."""

    def search(self, indexes: Indexes, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return what the word index finds."""
        return indexes.index(INDEX).search(queries, top_k)
