"""A graph of neighbours over very many vectors (HNSW), and how much of the truth it finds."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.embedding import Vectors
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.nearest import Candidates
from bakeoff.knowledge.recall import RECALL, measured_recall

GRAPH = "graph"
"""Name of the array that is the graph."""
BLOCK = 1 << 14
"""Vectors that are added at once: a mapped file is read piece by piece."""


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """How a graph is built and asked."""

    links: int
    effort_building: int
    effort: int


class Graph:
    """A graph, open; thread-safe."""

    def __init__(self, index: Any) -> None:
        """Take the library's index."""
        self._index = index

    def near(self, queries: Vectors, count: int, effort: int) -> NDArray[np.int64]:
        """Return numbers of vectors near each query, -1 where there are fewer; shape (queries, count)."""
        faiss = _library()
        faiss.omp_set_num_threads(1)
        parameters = faiss.SearchParametersHNSW(efSearch=max(effort, count))
        _, found = self._index.search(np.ascontiguousarray(queries), count, params=parameters)
        return np.asarray(found, np.int64)


def require_faiss() -> None:
    """Check that graphs can be built.

    Raises:
        InvalidInputError: the library is not installed.
    """
    if find_spec("faiss") is None:
        raise InvalidInputError(
            "the index dense(approximate=hnsw) needs the package faiss-cpu, which is not installed: "
            "pip install 'bakeoff[ann]'"
        )


def build_graph(vectors: Vectors, settings: GraphSettings) -> Arrays:
    """Return the graph of vectors, without them, and its recall as measured; the same vectors give the same graph.

    Args:
        vectors: Shape (n, dimension), n > 1; perhaps mapped from a file.
        settings: How.
    """
    faiss = _library()
    faiss.omp_set_num_threads(1)  # more make another graph each time
    index = faiss.IndexHNSWFlat(vectors.shape[1], settings.links, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = settings.effort_building
    for first in range(0, len(vectors), BLOCK):
        index.add(np.ascontiguousarray(vectors[first : first + BLOCK]))
    graph = Graph(index)

    def fetch(queries: Vectors, count: int) -> list[Candidates]:
        near = graph.near(queries, count, settings.effort)
        return [Candidates(found[found >= 0], vectors[found[found >= 0]]) for found in near]

    recall = measured_recall(fetch, vectors)
    stored = faiss.serialize_index(index, faiss.IO_FLAG_SKIP_STORAGE)
    return {GRAPH: np.asarray(stored, np.uint8), RECALL: np.array([recall])}


def open_graph(stored: NDArray[np.generic], vectors: Vectors) -> Graph:
    """Open a graph over the vectors of which it was built."""
    faiss = _library()
    index = faiss.deserialize_index(np.asarray(stored, np.uint8), faiss.IO_FLAG_SKIP_STORAGE)
    storage = faiss.IndexFlat(vectors.shape[1], faiss.METRIC_INNER_PRODUCT)
    for first in range(0, len(vectors), BLOCK):
        storage.add(np.ascontiguousarray(vectors[first : first + BLOCK]))
    index.storage = storage
    index.own_fields = True
    storage.this.disown()
    return Graph(index)


def _library() -> Any:
    """Return the library, whose stubs lack what is used of it here."""
    require_faiss()
    return importlib.import_module("faiss")
