"""Prepared benchmarks at hand, so that a benchmark of a thousand units is not read a thousand times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bakeoff.contract.stored import PreparedReader, decode
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.prepared import IngestedOriginal, PreparedDocument, PreparedManifest, PreparedUnit
from bakeoff.knowledge.document_rows import DocumentRows
from bakeoff.knowledge.last_used import LastUsed
from bakeoff.knowledge.unit_lots import UnitLots, lot_starts
from bakeoff.runtime.objects import ObjectStore

BENCHMARKS = 2
"""Benchmarks that are kept: evaluations take turns, but not many at once."""
PARTS = 256
"""Parts of ingested originals that are kept."""
KEPT_DOCUMENTS = 200_000
"""The documents of a larger benchmark are not kept (more than 130 MB), but read part by part in each build."""


@dataclass(frozen=True, slots=True)
class PreparedBenchmark:
    """What the builds of a benchmark's units need of it."""

    manifest: PreparedManifest
    units: Mapping[str, PreparedUnit]
    kept: tuple[PreparedDocument, ...] | None
    """All documents in the adapter's order; None when they are too many to be kept."""
    numbers: Mapping[str, int]
    """Place of each document in that order, by its id; empty when no unit names its documents."""
    lot_starts: tuple[int, ...]
    """Where the lots of documents begin that are worked on together."""

    def unit(self, unit_id: str) -> PreparedUnit:
        """Return a unit.

        Raises:
            InvalidInputError: there is none of that id.
        """
        if unit_id not in self.units:
            raise InvalidInputError(f"benchmark {self.manifest.benchmark.name!r} has no unit {unit_id!r}")
        return self.units[unit_id]

    def lots_of(self, unit: PreparedUnit, originals: Mapping[str, IngestedOriginal], objects: ObjectStore) -> UnitLots:
        """Return the documents of a unit in lots, in the adapter's order.

        Args:
            unit: Which.
            originals: Where the unit's originals are, by id, and perhaps others.
            objects: Where they are.

        Raises:
            InvalidInputError: the unit names a document that the benchmark does not have.
        """
        chosen = self._chosen(unit)
        documents = self.kept if self.kept is not None else DocumentRows(PreparedReader(objects, self.manifest))
        return UnitLots(documents, self.lot_starts, chosen, originals, objects)

    def _chosen(self, unit: PreparedUnit) -> list[int] | None:
        if not unit.document_ids:
            return None
        unknown = [document_id for document_id in unit.document_ids if document_id not in self.numbers]
        if unknown:
            raise InvalidInputError(f"unit {unit.unit_id!r} names the unknown document {unknown[0]!r}")
        return sorted({self.numbers[name] for name in unit.document_ids})


class Shelf:
    """Reads prepared benchmarks and lists of ingested originals, and keeps the last ones; thread-safe."""

    def __init__(self) -> None:
        """Make an empty shelf. What is on it is told by its digest, so that any store may be read."""
        self._benchmarks: LastUsed[ObjectRef, PreparedBenchmark] = LastUsed(BENCHMARKS)
        self._originals: LastUsed[ObjectRef, Mapping[str, IngestedOriginal]] = LastUsed(PARTS)

    def benchmark(self, objects: ObjectStore, ref: ObjectRef) -> PreparedBenchmark:
        """Return a prepared benchmark.

        Raises:
            NotFoundError: a part of it is gone.
            DigestMismatchError: a part of it is not what was prepared.
        """
        return self._benchmarks.get(ref, lambda: _read(objects, ref))

    def originals(self, objects: ObjectStore, ref: ObjectRef) -> Mapping[str, IngestedOriginal]:
        """Return the originals that one ingest item put into raw storage, by id.

        Raises:
            NotFoundError: the list is gone.
            DigestMismatchError: it is not what was ingested.
        """
        return self._originals.get(ref, lambda: originals_of(objects.read(ref)))


def originals_of(data: bytes) -> dict[str, IngestedOriginal]:
    """Return the originals of an ingest item's result, by id."""
    return {original.original_id: original for original in decode(data, tuple[IngestedOriginal, ...])}


def _read(objects: ObjectStore, ref: ObjectRef) -> PreparedBenchmark:
    reader = PreparedReader.open(objects, ref)
    kept = tuple(reader.documents()) if reader.manifest.documents <= KEPT_DOCUMENTS else None
    documents = kept if kept is not None else DocumentRows(reader)
    units = reader.units()
    named = any(unit.document_ids for unit in units)
    numbers = {document.document_id: number for number, document in enumerate(documents)} if named else {}
    return PreparedBenchmark(
        reader.manifest,
        {unit.unit_id: unit for unit in units},
        kept,
        numbers,
        lot_starts(documents, units, numbers),
    )
