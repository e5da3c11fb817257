"""What an index is: built from the texts or vectors of chunks, asked with queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.embedding import Embedder, Vectors
from bakeoff.knowledge.workers import ALONE, Workers

SORTED = 2
"""Scores for each hit up to which sorting all takes no longer than finding out which are the best."""
Arrays = Mapping[str, NDArray[np.generic]]
"""What an index is stored as: arrays by name."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Chunks that were found for one query, best first."""

    chunks: NDArray[np.int64]
    """Numbers of the chunks in the knowledge base, from 0; shape (n,)."""
    scores: NDArray[np.float64]
    """Higher is better, finite; shape (n,). Equal scores are in the order of the chunks."""


class Index(Protocol):
    """An index that is open; thread-safe."""

    def search(self, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return at most `top_k` hits a query; a query that matches nothing has none."""


class IndexKind(Protocol):
    """A way to build and open an index, with its settings."""

    def build(self, texts: Sequence[str], vectors: Vectors | None, workers: Workers = ALONE) -> Arrays:
        """Return the arrays of the index.

        Args:
            texts: One a chunk; read where they lie, so that going through them is cheap and keeping them is not.
            vectors: One a chunk, perhaps mapped from a file; None unless the component's card says `needs_vectors`.
            workers: Compute what takes Python long.
        """

    def open(self, arrays: Arrays, embedder: Embedder | None) -> Index:
        """Open an index.

        Args:
            arrays: As built; may be mapped from a file and must not be written.
            embedder: The one that made the vectors; None unless the component's card says `needs_vectors`.
        """


@runtime_checkable
class MeasuringKind(Protocol):
    """What a kind of index can do beside the rest when it measures itself as it is built."""

    def measures(self, arrays: Arrays) -> dict[str, float]:
        """Return what was measured, by name, such as `recall_at_10`; empty when there was nothing to measure."""


def best(chunks: NDArray[np.int64], scores: NDArray[np.floating], top_k: int) -> Hits:
    """Return the `top_k` best of some chunks: by score, highest first, and equal scores in the order of the chunks.

    Args:
        chunks: Ascending; shape (n,).
        scores: Finite; shape (n,).
        top_k: From 1.
    """
    if len(scores) > SORTED * top_k:
        last = len(scores) - top_k
        # Everything that ties with the last place stays in until the order of the chunks decides.
        keep = np.flatnonzero(scores >= np.partition(scores, last)[last])
        chunks, scores = chunks[keep], scores[keep]
    order = np.argsort(-scores, kind="stable")[:top_k]
    return Hits(chunks[order], scores[order].astype(np.float64))
