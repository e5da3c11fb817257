"""Index: vectors, compared one by one, or by a graph of neighbours when there are very many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.embedding import Embedder, Vectors, query_vectors
from bakeoff.knowledge.indexing import Arrays, Hits, Index, IndexKind, best
from bakeoff.knowledge.recall import RECALL
from bakeoff.knowledge.registries import indexes
from bakeoff.knowledge.vector_graph import GRAPH, Graph, GraphSettings, build_graph, open_graph, require_faiss
from bakeoff.knowledge.workers import ALONE, Workers
from bakeoff.runtime.registry import Is

BLOCK_QUERIES = 128
BLOCK_CHUNKS = 1 << 16
"""Queries and chunks that are multiplied at once: 32 MiB of scores."""
LARGEST_BLOCK = 1 << 25
"""Scores that are kept at once, 128 MiB: of fewer queries when there are more chunks."""
GROUPS = 8
"""Groups of scores for each hit: then some 7 % more scores than hits are above the floor that groups give."""
ROOM = 2
"""Vectors for each hit that are scored again without further memory."""
ROUNDING = 4e-6
"""More than single precision can err by in the product of two vectors of length 1 and a few thousand dimensions."""
DECIMALS = 12
"""Digits of a score: fewer than double precision has, so that the order of its sums is not seen."""


@indexes.register("dense", facts={"needs_vectors": True, "libraries": ["numpy"]})
def dense(
    *,
    metric: Annotated[Literal["cosine"], Is("how near two vectors are")] = "cosine",
    approximate: Annotated[
        Literal["never", "hnsw"], Is("whether a graph of neighbours is searched instead of all vectors")
    ] = "never",
    above: Annotated[int, Is("chunks up to which all vectors are compared in any case", minimum=1)] = 100_000,
    links: Annotated[int, Is("neighbours of a vector in the graph", minimum=2, maximum=512)] = 32,
    effort_building: Annotated[int, Is("vectors looked at to find them", minimum=1)] = 200,
    effort: Annotated[int, Is("vectors looked at for a query, or as many as are asked for if more", minimum=1)] = 128,
) -> IndexKind:
    """Find chunks by their vectors, exactly unless said otherwise.

    Scores are cosines in [-1, 1], computed in double precision for whatever single precision cannot rule out: neither
    the batch nor the processor changes a score or a rank. A query whose vector is zero finds nothing. With `hnsw`, and
    more than `above` chunks, some of the best are missed; which share is found is measured when the index is built.

    Source: Malkov & Yashunin 2018, "Efficient and robust approximate nearest neighbor search using Hierarchical
    Navigable Small World graphs", arXiv:1603.09320, as in the library faiss.
    """
    if approximate == "never":
        return DenseKind(None, above)
    require_faiss()
    return DenseKind(GraphSettings(links, effort_building, effort), above)


@dataclass(frozen=True, slots=True)
class DenseKind:
    """Search over vectors of length 1."""

    graph: GraphSettings | None
    """None compares all vectors."""
    above: int
    """Chunks from beyond which there is a graph."""

    def build(self, texts: Sequence[str], vectors: Vectors | None, workers: Workers = ALONE) -> Arrays:
        """Return the vectors, and the graph if there is one."""
        if vectors is None:
            raise InvalidInputError("the index dense needs vectors: name an embedder in the build part")
        if self.graph is None or len(vectors) <= self.above:
            return {"vectors": vectors}
        return {"vectors": vectors, **build_graph(vectors, self.graph)}

    def measures(self, arrays: Arrays) -> dict[str, float]:
        """Return the recall of the graph against exact search; nothing when there is none."""
        return {RECALL: float(arrays[RECALL][0])} if RECALL in arrays else {}

    def open(self, arrays: Arrays, embedder: Embedder | None) -> Index:
        """Open the index; the vectors stay where they are."""
        if embedder is None:
            raise InvalidInputError("the index dense needs the embedder that made its vectors")
        vectors = np.asarray(arrays["vectors"], np.float32)
        if self.graph is not None and GRAPH in arrays:
            return GraphIndex(vectors, open_graph(arrays[GRAPH], vectors), self.graph.effort, embedder)
        return DenseIndex(vectors, embedder)


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
        asked = query_vectors(self._embedder, queries, self._vectors.shape[1])
        return self.search_vectors(asked, top_k)

    def search_vectors(self, asked: Vectors, top_k: int) -> list[Hits]:
        """Return the chunks whose vectors point most nearly where given ones do; shape (queries, dimension)."""
        hits: list[Hits] = []
        step = max(1, min(BLOCK_QUERIES, LARGEST_BLOCK // len(self._vectors)))
        room = np.empty((min(ROOM * top_k, len(self._vectors)), self._vectors.shape[1]))
        for first in range(0, len(asked), step):
            block = asked[first : first + step]
            rough = np.empty((len(block), len(self._vectors)), np.float32)
            for start in range(0, len(self._vectors), BLOCK_CHUNKS):
                np.matmul(
                    block, self._vectors[start : start + BLOCK_CHUNKS].T, out=rough[:, start : start + BLOCK_CHUNKS]
                )
            hits += [
                exactly(query, self._vectors, _near(scores, top_k), top_k, room)
                for query, scores in zip(block, rough, strict=True)
            ]
        return hits


class GraphIndex:
    """Vectors with a graph of neighbours, open."""

    def __init__(self, vectors: NDArray[np.float32], graph: Graph, effort: int, embedder: Embedder) -> None:
        """Take what was built.

        Args:
            vectors: One a chunk, shape (chunks, dimension).
            graph: Of them.
            effort: Vectors that are looked at for a query.
            embedder: Makes the queries' vectors.
        """
        self._vectors = vectors
        self._graph = graph
        self._effort = effort
        self._embedder = embedder

    def search(self, queries: Sequence[str], top_k: int) -> list[Hits]:
        """Return chunks whose vectors point nearly where the query's does, with exact scores."""
        asked = query_vectors(self._embedder, queries, self._vectors.shape[1])
        near = self._graph.near(asked, min(top_k, len(self._vectors)), self._effort)
        return [
            exactly(query, self._vectors, np.sort(found[found >= 0]), top_k)
            for query, found in zip(asked, near, strict=True)
        ]


def _near(rough: NDArray[np.float32], top_k: int) -> NDArray[np.int64]:
    """Return whatever may be among the best, ascending, by scores in single precision."""
    if len(rough) <= top_k:
        return np.arange(len(rough))
    return np.flatnonzero(rough >= _floor(rough, top_k) - ROUNDING)


def _floor(scores: NDArray[np.float32], top_k: int) -> np.float32:
    """Return a score that at least `top_k` of many have, and not many more.

    Of the best scores of GROUPS times as many groups, `top_k` are at least the one that is returned. To look for it
    among them takes a tenth of the time that it takes among all.

    Args:
        scores: Shape (n,), n > top_k.
        top_k: From 1.
    """
    groups = GROUPS * top_k
    each = len(scores) // groups
    highest = scores[: each * groups].reshape(each, groups).max(axis=0) if each > 1 else scores
    last = len(highest) - top_k
    floor: np.float32 = np.partition(highest, last)[last]
    return floor


def exactly(
    query: NDArray[np.float32],
    vectors: NDArray[np.float32],
    near: NDArray[np.int64],
    top_k: int,
    room: NDArray[np.float64] | None = None,
) -> Hits:
    """Return the best of some chunks, scored in double precision.

    Args:
        query: Shape (dimension,); zero finds nothing.
        vectors: Of all chunks.
        near: Numbers of the chunks to score, ascending.
        top_k: From 1.
        room: Is written to, shape (any, dimension): to get memory from the system takes longer than to score.
    """
    if not query.any():
        return Hits(np.zeros(0, np.int64), np.zeros(0))
    if room is None or len(near) > len(room):
        room = np.empty((len(near), vectors.shape[1]))
    rows = room[: len(near)]
    # Without `clip`, which has nothing to clip here, numpy copies the rows twice.
    rows[...] = vectors.take(near, axis=0, mode="clip")
    exact = rows @ query.astype(np.float64)
    return best(near, np.round(exact, DECIMALS), top_k)
