"""The best of many vectors that lie elsewhere: a rough list from there, the exact order from here."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.embedding import Embedder, Vectors, query_vectors
from bakeoff.knowledge.indexing import Hits, best

BATCH_ROWS = 1 << 13
"""Vectors that are sent at once: 32 MiB of 1,024 numbers."""
SPARE = 32
"""Vectors that are fetched beyond those asked for, so that ties at the cut rarely need a second look."""
ROUNDING = 2e-5
"""More than two servers' single precision can err by in the product of two vectors of length 1."""
DECIMALS = 12
"""Digits of a score, as those of the index `dense`."""
ROUGH_DECIMALS = 6
"""Digits that single precision gets right."""
NOTHING = Hits(np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True, slots=True)
class Candidates:
    """Vectors that are near a query, in any order."""

    chunks: NDArray[np.int64]
    """Numbers of their chunks; shape (n,)."""
    vectors: Vectors | None
    """Shape (n, dimension); None where bringing them takes far longer than finding them."""
    products: NDArray[np.floating] | None = None
    """Those with the query, computed elsewhere; shape (n,). Only without vectors."""

    def scores(self, query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the product of each vector with the query, as precisely as can be told here; shape (n,)."""
        if self.vectors is not None:
            return np.round(self.vectors.astype(np.float64) @ query.astype(np.float64), DECIMALS)
        if self.products is None:
            raise ValueError("candidates need vectors or products")
        return np.asarray(np.round(self.products.astype(np.float64), ROUGH_DECIMALS), np.float64)


Fetch = Callable[[Vectors, int], Sequence[Candidates]]
"""Given queries and a count, returns for each query the `count` vectors with the highest products, roughly computed;
fewer when there are no more, or when only some are looked at."""


@dataclass(frozen=True, slots=True)
class RemoteVectors:
    """An index over vectors that lie elsewhere, open."""

    rows: int
    dimension: int
    fetch: Fetch
    exact: bool
    """Whether all vectors are compared: then hits and scores are those of the index `dense`."""
    embedder: Embedder

    def search(self, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return the chunks whose vectors point most nearly where the query's does."""
        return self.search_vectors(query_vectors(self.embedder, queries, self.dimension), top_k)

    def search_vectors(self, asked: Vectors, top_k: int) -> list[Hits]:
        """Return the chunks whose vectors point most nearly where given ones do; shape (queries, dimension)."""
        hits = [NOTHING] * len(asked)
        left = [number for number, query in enumerate(asked) if query.any()]
        count = min(top_k + SPARE, self.rows)
        while left:
            again = []
            for number, found in zip(left, self.fetch(asked[left], count), strict=True):
                scores = found.scores(asked[number])
                if self.exact and count < self.rows and not _certain(scores, top_k):
                    again.append(number)
                else:
                    order = np.argsort(found.chunks)
                    hits[number] = best(found.chunks[order], scores[order], top_k)
            left, count = again, min(count * 4, self.rows)
        return hits


def _certain(scores: NDArray[np.float64], top_k: int) -> bool:
    """Return whether what was not fetched, all of it below the worst that was, cannot be among the best."""
    last = np.partition(scores, len(scores) - top_k)[len(scores) - top_k]
    return bool(scores.min() < last - ROUNDING)


def batches(vectors: Vectors, rows: int = BATCH_ROWS) -> Iterator[tuple[int, Vectors]]:
    """Yield vectors some at a time, with the number of the first; a mapped file is read piece by piece."""
    for first in range(0, len(vectors), rows):
        yield first, np.ascontiguousarray(vectors[first : first + rows], np.float32)


def digest_of_vectors(vectors: Vectors, *also: object) -> str:
    """Return 16 hexadecimal digits of the vectors' bytes and what else decides what is stored of them."""
    digest = hashlib.sha256(repr((vectors.shape, *also)).encode())
    for _, batch in batches(vectors):
        digest.update(batch.data)
    return digest.hexdigest()[:16]
