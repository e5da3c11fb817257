"""The examples whose questions' vectors are nearest to the case's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import Violation
from bakeoff.inference.examples.choosing import enough, first_allowed, withheld
from bakeoff.inference.examples.hashed_vectors import hashed_vectors
from bakeoff.inference.examples.pool import ExamplePool
from bakeoff.inference.examples.prepared import PreparedPools
from bakeoff.inference.examples.retriever import Chosen, ExampleRetriever
from bakeoff.inference.registries import example_retrievers
from bakeoff.runtime.registry import Is

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Returns a vector for each text; shape (texts, dimensions), of any length."""
EMBEDDERS: dict[str, Embed] = {"hashing": hashed_vectors}
DECIMALS = 5
"""Of a similarity that count, so that ties stay ties whatever the order in which a machine adds."""


@example_retrievers.register("topk")
def topk(
    *,
    k: Annotated[int, Is("examples for each case", minimum=0)],
    embedder: Annotated[str, Is("what makes the vectors", choices=tuple(EMBEDDERS))] = "hashing",
    leak_guard: Annotated[bool, Is("leaves out the case itself, by id and by content")] = True,
) -> ExampleRetriever:
    """Show each case the examples with the nearest questions by cosine of their vectors, best first; ties go by id."""
    return TopK(k, EMBEDDERS[embedder], leak_guard)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors of a pool, with their squared lengths."""

    rows: NDArray[np.float32]
    """Shape (texts, dimensions)."""
    squares: NDArray[np.float64]
    """Shape (texts,), ≥ 0."""

    @classmethod
    def of(cls, rows: NDArray[np.float32]) -> Vectors:
        """Return the vectors in the rows of an array."""
        return cls(rows, np.einsum("ij,ij->i", rows, rows, dtype=np.float64))

    def cosines(self, query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the cosine of each vector with one, rounded; 0 with a vector of length 0; shape (texts,).

        Products first, lengths after: those of whole numbers are exact, in whatever order they are added.
        """
        products = (self.rows @ query).astype(np.float64)
        squares = self.squares * np.dot(query, query)
        return np.round(products / np.sqrt(np.where(squares == 0, 1.0, squares)), DECIMALS)


class TopK:
    """A retriever that ranks the pool by vectors; takes any embedder."""

    def __init__(self, k: int, embed: Embed, leak_guard: bool = True) -> None:
        """Embed nothing yet.

        Args:
            k: Examples for each case, from 0.
            embed: Makes vectors of questions.
            leak_guard: Whether the case itself is left out.
        """
        self._k = k
        self._embed = embed
        self._leak_guard = leak_guard
        self._prepared = PreparedPools(lambda pool: Vectors.of(self._embedded(pool.distinct)))

    @property
    def count(self) -> int:
        """Examples for each case."""
        return self._k

    def check(self, pool: Sequence[Case]) -> list[Violation]:
        """Return whether there are too few examples."""
        return enough(self._k, ExamplePool.of(pool).distinct)

    def choose(self, case: Case, pool: Sequence[Case], *, position: int | None = None) -> Chosen:
        """Return the nearest examples."""
        known, vectors = self._prepared.of(pool)
        if not known.distinct:
            return first_allowed(self._k, (), frozenset(), case=case, available=0)
        similarity = vectors.cosines(self._embedded([case])[0])
        # Stable, and the pool is in the order of the ids: so ties go by id.
        ranked = (known.distinct[index] for index in np.argsort(-similarity, kind="stable"))
        forbidden = withheld(case, known, self._leak_guard)
        return first_allowed(self._k, ranked, forbidden, case=case, available=len(known.distinct))

    def _embedded(self, cases: Sequence[Case]) -> NDArray[np.float32]:
        if not cases:
            return np.zeros((0, 0), np.float32)
        return np.asarray(self._embed([case.query for case in cases]), np.float32)
