"""Index: vectors on the object store itself, in the files of Lance, read there by any number of readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isqrt
from typing import Annotated, Literal

import numpy as np

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.embedding import Embedder, Vectors
from bakeoff.knowledge.indexing import Arrays, Index, IndexKind
from bakeoff.knowledge.lance_store import LanceStore, LanceTable, require_lance
from bakeoff.knowledge.nearest import RemoteVectors, digest_of_vectors
from bakeoff.knowledge.outside import Site, pointed, pointer
from bakeoff.knowledge.recall import RECALL, measured_recall
from bakeoff.knowledge.registries import indexes
from bakeoff.knowledge.workers import ALONE, Workers
from bakeoff.runtime.registry import Is

NAME = "lance"
VERSION = "version"
"""Array with the version of the table in which its vectors are grouped as the recall was measured."""


@indexes.register(
    NAME, facts={"needs_vectors": True, "stands_for": "dense", "libraries": ["lancedb", "numpy", "pyarrow"]}
)
def lance(
    *,
    approximate: Annotated[
        Literal["never", "ivf"], Is("whether some groups of vectors are searched instead of all vectors")
    ] = "never",
    above: Annotated[int, Is("chunks up to which all vectors are compared in any case", minimum=1)] = 100_000,
    partitions: Annotated[int, Is("groups; 0 means the square root of the number of chunks", minimum=0)] = 0,
    probes: Annotated[int, Is("groups looked at for a query, those with the nearest centres", minimum=1)] = 32,
) -> IndexKind:
    """Find chunks by vectors that stay on the object store: readers fetch what a question needs, and copy nothing.

    For knowledge bases too large for the disk of a reader. Query engines ask it where they would ask the index `dense`.
    Hits and scores are those of `dense`: candidates come from the store, and are scored again in double precision. With
    `ivf`, and more than `above` chunks, some of the best are missed; which share is found is measured when the index is
    built. Scores then are of single precision, six decimals. Centres of groups are drawn anew by each build.

    Source: Sivic & Zisserman 2003, "Video Google", for the inverted file, as in the library lancedb.
    """
    require_lance()
    return LanceKind(approximate == "ivf", above, partitions, probes)


@dataclass(frozen=True, slots=True)
class LanceKind:
    """Vectors in a table of the knowledge base's own."""

    grouped: bool
    above: int
    partitions: int
    probes: int
    store: LanceStore | None = None
    """None until it is told."""

    def at(self, site: Site) -> IndexKind:
        """Return the kind, building and opening at a site."""
        if site.lance is None:
            raise InvalidInputError("the index lance needs a folder, or an object store that is reached over S3")
        return replace(self, store=site.lance)

    def build(self, texts: Sequence[str], vectors: Vectors | None, workers: Workers = ALONE) -> Arrays:
        """Write the vectors and return where they are.

        The table's name is made of what is in it. So a second builder of the same finds it there, or writes the same,
        and one with other vectors writes another table.
        """
        if vectors is None:
            raise InvalidInputError("the index lance needs vectors: name an embedder in the build part")
        store, rows = self._store, len(vectors)
        partitions = (self.partitions or isqrt(rows)) if self._is_grouped(rows) else 0
        name = f"{NAME}-{digest_of_vectors(vectors, partitions)}"
        store.create(name, vectors)
        arrays = pointer(name, rows, vectors.shape[1])
        if partitions:
            version = store.create_partitions(name, partitions)
            fetch = partial(store.open(name, version).nearest, probes=self.probes)
            arrays[VERSION] = np.array([version])
            arrays[RECALL] = np.array([measured_recall(fetch, vectors)])
        return arrays

    def measures(self, arrays: Arrays) -> dict[str, float]:
        """Return the recall of groups against exact search; nothing when all vectors are compared."""
        return {RECALL: float(arrays[RECALL][0])} if RECALL in arrays else {}

    def open(self, arrays: Arrays, embedder: Embedder | None) -> Index:
        """Open the index where it lies; nothing is fetched but what describes it."""
        if embedder is None:
            raise InvalidInputError("the index lance needs the embedder that made its vectors")
        name, rows, dimension = pointed(arrays, NAME)
        version = int(arrays[VERSION][0]) if VERSION in arrays else None
        table = self._store.open(name, version)
        _check(table, rows, dimension)
        grouped = self._is_grouped(rows)
        fetch = partial(table.nearest, probes=self.probes if grouped else None)
        return RemoteVectors(rows, dimension, fetch, not grouped, embedder)

    @property
    def _store(self) -> LanceStore:
        if self.store is None:
            raise InvalidInputError("the index lance was not told where its table is: give a site")
        return self.store

    def _is_grouped(self, rows: int) -> bool:
        return self.grouped and rows > self.above


def _check(table: LanceTable, rows: int, dimension: int) -> None:
    there = table.shape()
    if there != (rows, dimension):
        raise InvalidInputError(
            f"the table {table.name!r} has {there[0]} vectors of {there[1]} numbers, not {rows} of {dimension}; "
            "delete the knowledge base and build it again"
        )
