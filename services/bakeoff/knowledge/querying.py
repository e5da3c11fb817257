"""What a query engine is: a way to ask the indexes of a knowledge base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bakeoff.knowledge.indexing import Hits, Index


class Indexes(Protocol):
    """The indexes of an open knowledge base."""

    def index(self, name: str) -> Index:
        """Return an index.

        Raises:
            InvalidInputError: the knowledge base has none of that name; the message says which it has.
        """

    def texts(self, chunks: Sequence[int]) -> list[str]:
        """Return the texts of chunks, which are numbers in the knowledge base, from 0."""


class QueryEngine(Protocol):
    """Asks the indexes that its card lists under `needs_indexes`; deterministic and thread-safe."""

    def search(self, indexes: Indexes, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return at most `top_k` hits a query, in the order of the queries.

        Raises:
            InvalidInputError: an index that it needs is not there.
        """
