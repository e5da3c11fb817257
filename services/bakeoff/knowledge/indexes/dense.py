"""Index: all vectors, compared one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.embedding import Embedder, Vectors
from bakeoff.knowledge.indexing import Arrays, Hits, Index, IndexKind, best
from bakeoff.knowledge.registries import indexes
from bakeoff.runtime.registry import Is

BLOCK_QUERIES = 64
BLOCK_CHUNKS = 1 << 16
"""Queries and chunks that are multiplied at once: 16 MiB of scores."""
LARGEST_BLOCK = 1 << 25
"""Scores that are kept at once, 128 MiB: of fewer queries when there are more chunks."""
ROUNDING = 4e-6
"""More than single precision can err by in the product of two vectors of length 1 and a few thousand dimensions."""
DECIMALS = 12
"""Digits of a score: fewer than double precision has, so that the order of its sums is not seen."""


@indexes.register("dense", facts={"needs_vectors": True, "libraries": ["numpy"]})
def dense(*, metric: Annotated[Literal["cosine"], Is("how near two vectors are")] = "cosine") -> IndexKind:
    """Find chunks by their vectors, exactly.

    Scores are cosines in [-1, 1], computed in double precision for whatever single precision cannot rule out: neither
    the batch nor the processor changes a score or a rank. A query whose vector is zero finds nothing.
    """
    return DenseKind()


class DenseKind:
    """Exact search over vectors of length 1."""

    def build(self, texts: Sequence[str], vectors: Vectors | None) -> Arrays:
        """Return the vectors."""
        if vectors is None:
            raise InvalidInputError("the index dense needs vectors: name an embedder in the build part")
        return {"vectors": vectors}

    def open(self, arrays: Arrays, embedder: Embedder | None) -> Index:
        """Open the index; the vectors stay where they are."""
        if embedder is None:
            raise InvalidInputError("the index dense needs the embedder that made its vectors")
        return DenseIndex(np.asarray(arrays["vectors"], np.float32), embedder)


class DenseIndex:
    """Vectors, open."""

    def __init__(self, vectors: NDArray[np.float32], embedder: Embedder) -> None:
        """Take what was built.

        Args:
            vectors: One a chunk, shape (chunks, dimension).
            embedder: Makes the queries' vectors.
        """
        self._vectors = vectors
        self._embedder = embedder

    def search(self, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return the chunks whose vectors point most nearly where the query's does."""
        asked = self._embedder.embed(queries)
        hits: list[Hits] = []
        step = max(1, min(BLOCK_QUERIES, LARGEST_BLOCK // len(self._vectors)))
        for first in range(0, len(asked), step):
            block = asked[first : first + step]
            rough = np.empty((len(block), len(self._vectors)), np.float32)
            for start in range(0, len(self._vectors), BLOCK_CHUNKS):
                np.matmul(
                    block, self._vectors[start : start + BLOCK_CHUNKS].T, out=rough[:, start : start + BLOCK_CHUNKS]
                )
            hits += [self._exact(query, scores, top_k) for query, scores in zip(block, rough, strict=True)]
        return hits

    def _exact(self, query: NDArray[np.float32], rough: NDArray[np.float32], top_k: int) -> Hits:
        """Score again in double precision whatever may be among the best."""
        if not query.any():
            return Hits(np.zeros(0, np.int64), np.zeros(0))
        near = np.arange(len(rough))
        if len(rough) > top_k:
            last = len(rough) - top_k
            near = np.flatnonzero(rough >= np.partition(rough, last)[last] - ROUNDING)
        exact = self._vectors[near].astype(np.float64) @ query.astype(np.float64)
        return best(near, np.round(exact, DECIMALS), top_k)
