"""Index: vectors in PostgreSQL, with the extension pgvector, reached over the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

import numpy as np

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.embedding import Embedder, Vectors
from bakeoff.knowledge.indexing import Arrays, Index, IndexKind
from bakeoff.knowledge.nearest import RemoteVectors, digest_of_vectors
from bakeoff.knowledge.outside import Site, pointed, pointer
from bakeoff.knowledge.outside_settings import NO_SERVER
from bakeoff.knowledge.postgres_server import require_pg8000
from bakeoff.knowledge.postgres_vectors import LARGEST_EFFORT, GraphOptions, VectorTable
from bakeoff.knowledge.recall import RECALL, measured_recall
from bakeoff.knowledge.registries import indexes
from bakeoff.knowledge.workers import ALONE, Workers
from bakeoff.runtime.registry import Is

NAME = "pgvector"


@indexes.register(NAME, facts={"needs_vectors": True, "stands_for": "dense", "libraries": ["numpy", "pg8000"]})
def pgvector(
    *,
    approximate: Annotated[
        Literal["never", "hnsw"], Is("whether a graph of neighbours is searched instead of all vectors")
    ] = "never",
    above: Annotated[int, Is("chunks up to which all vectors are compared in any case", minimum=1)] = 100_000,
    links: Annotated[int, Is("neighbours of a vector in the graph", minimum=2, maximum=100)] = 16,
    effort_building: Annotated[
        int, Is("vectors looked at to find them, at least twice the links", minimum=4, maximum=1000)
    ] = 100,
    effort: Annotated[
        int,
        Is("vectors looked at for a query, or as many as are asked for if more", minimum=1, maximum=LARGEST_EFFORT),
    ] = 128,
) -> IndexKind:
    """Find chunks by vectors that are in PostgreSQL: in a schema of the knowledge base's own, on the operator's server.

    Query engines ask it where they would ask the index `dense`. Hits and scores are those of `dense`: candidates come
    from the server, and are scored again in double precision. With `hnsw`, and more than `above` chunks, some of the
    best are missed; which share is found is measured when the index is built. A graph may differ from build to build.

    Source: Malkov & Yashunin 2018, arXiv:1603.09320, for the graph, as in the extension pgvector.
    """
    require_pg8000()
    if approximate == "never":
        return PgvectorKind(None, above, effort)
    if effort_building < 2 * links:
        raise InvalidInputError(
            f"pgvector.effort_building must be at least twice links ({links}), not {effort_building}"
        )
    return PgvectorKind(GraphOptions(links, effort_building), above, effort)


@dataclass(frozen=True, slots=True)
class PgvectorKind:
    """Vectors in a table of the knowledge base's own."""

    graph: GraphOptions | None
    """None compares all vectors."""
    above: int
    effort: int
    site: Site | None = None
    """None until it is told."""

    def at(self, site: Site) -> IndexKind:
        """Return the kind, building and opening at a site."""
        if site.postgres is None:
            raise InvalidInputError(
                f"the index pgvector: {NO_SERVER}, a script gives Site(…, postgres=PostgresServer(…))"
            )
        return replace(self, site=site)

    def build(self, texts: Sequence[str], vectors: Vectors | None, workers: Workers = ALONE) -> Arrays:
        """Write the vectors and return where they are.

        The table's name is made of what is in it. So a second builder of the same finds it there, and one with other
        vectors writes another table.
        """
        if vectors is None:
            raise InvalidInputError("the index pgvector needs vectors: name an embedder in the build part")
        rows = len(vectors)
        graph = self._graph_of(rows)
        name = f"vectors_{digest_of_vectors(vectors, graph)}"
        table = self._table(name)
        table.create(vectors, graph)
        arrays = pointer(name, rows, vectors.shape[1])
        if graph:
            fetch = partial(table.nearest, effort=self.effort)
            arrays[RECALL] = np.array([measured_recall(fetch, vectors)])
        return arrays

    def measures(self, arrays: Arrays) -> dict[str, float]:
        """Return the recall of the graph against exact search; nothing when there is none."""
        return {RECALL: float(arrays[RECALL][0])} if RECALL in arrays else {}

    def open(self, arrays: Arrays, embedder: Embedder | None) -> Index:
        """Open the index where it is."""
        if embedder is None:
            raise InvalidInputError("the index pgvector needs the embedder that made its vectors")
        name, rows, dimension = pointed(arrays, NAME)
        table = self._table(name)
        there = table.shape()
        if there != (rows, dimension):
            raise InvalidInputError(
                f"the table {name!r} has {there[0]} vectors of {there[1]} numbers, not {rows} of {dimension}; "
                "delete the knowledge base and build it again"
            )
        effort = self.effort if self._graph_of(rows) else None
        return RemoteVectors(rows, dimension, partial(table.nearest, effort=effort), effort is None, embedder)

    def _table(self, name: str) -> VectorTable:
        if self.site is None or self.site.postgres is None:
            raise InvalidInputError("the index pgvector was not told where its server is: give a site")
        return VectorTable(self.site.postgres, self.site.name, name)

    def _graph_of(self, rows: int) -> GraphOptions | None:
        return self.graph if rows > self.above else None
