"""The documents of a unit in lots, out of raw storage. Units that have a document in common have its lot in common."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from bakeoff.domain import media_types
from bakeoff.domain.answer import Span
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prepared import IngestedOriginal, PreparedDocument, PreparedUnit
from bakeoff.knowledge.inputs import source_documents
from bakeoff.knowledge.lots import Content, Lot, Origin, cut_lots
from bakeoff.knowledge.parsing import SourceDocument, media_type_of
from bakeoff.runtime.objects import ObjectStore

PLAIN = frozenset((media_types.RECORD, "application/json", "application/x-ndjson"))
FORMATTED = 16
"""Bytes of plain text that are read in the time of one of a PDF, a page or a sheet."""


def lot_starts(
    documents: Sequence[PreparedDocument], units: Sequence[PreparedUnit], numbers: Mapping[str, int]
) -> tuple[int, ...]:
    """Return where the lots of a benchmark begin, as numbers of documents.

    All documents of a lot are in the same units. So no unit is given a document of another one by a lot, and each
    document is in one lot however many units have it.

    Args:
        documents: In the adapter's order.
        units: All units.
        numbers: Place of each document, by its id.
    """
    of = _classes(len(documents), units, numbers)
    lots = cut_lots(
        enumerate(documents),
        lambda numbered: (numbered[1].size_bytes, numbered[1].sha256),
        apart=lambda numbered: of[numbered[0]],
    )
    return tuple(lot[0][0] for lot in lots)


class UnitLots:
    """The lots of a unit in the adapter's order; may be gone through several times, and reads when it is asked to."""

    def __init__(
        self,
        documents: Sequence[PreparedDocument],
        starts: Sequence[int],
        chosen: Sequence[int] | None,
        originals: Mapping[str, IngestedOriginal],
        objects: ObjectStore,
    ) -> None:
        """Choose lots.

        Args:
            documents: Of the benchmark; looked at in their order.
            starts: Of its lots.
            chosen: Numbers of the unit's documents, ascending; None means all.
            originals: Where each original is, by its id.
            objects: Where they are.
        """
        self._documents, self._originals, self._objects = documents, originals, objects
        self._starts = (*starts, len(documents))
        every = range(len(starts))
        self._lots: Sequence[int] = (
            every
            if chosen is None
            else list(dict.fromkeys(bisect_right(self._starts, number) - 1 for number in chosen))
        )

    def takes(self, effort: int) -> bool:
        """Return whether reading them takes at least as long as reading so many bytes of plain text."""
        left = effort
        for lot in self._lots:
            for document in self._documents[self._starts[lot] : self._starts[lot + 1]]:
                left -= document.size_bytes * (1 if _is_plain(document.media_type) else FORMATTED)
            if left <= 0:
                return True
        return left <= 0

    def __iter__(self) -> Iterator[Lot]:
        """Yield the lots.

        Raises:
            InvalidInputError: an original was not ingested.
        """
        for lot in self._lots:
            yield self._lot(self._documents[self._starts[lot] : self._starts[lot + 1]])

    def _lot(self, documents: Sequence[PreparedDocument]) -> Lot:
        return Lot(
            tuple(self._origin(document) for document in documents),
            tuple(Content(document.sha256, document.media_type, document.name) for document in documents),
            partial(_read, documents, self._originals, self._objects),
        )

    def _origin(self, document: PreparedDocument) -> Origin:
        original = self._originals.get(document.original_id)
        if original is None:
            raise InvalidInputError(
                f"document {document.document_id!r}: its original {document.original_id!r} was not ingested"
            )
        span = Span(document.span.start, document.span.stop) if document.span else None
        return Origin(document.document_id, original.raw_key, original.sha256, span)


def _is_plain(media_type: str) -> bool:
    known = media_type_of(media_type)
    return known in PLAIN or (known.startswith("text/") and known != "text/html")


def _read(
    documents: Sequence[PreparedDocument], originals: Mapping[str, IngestedOriginal], objects: ObjectStore
) -> list[SourceDocument]:
    return list(source_documents(documents, originals, objects))


def _classes(documents: int, units: Sequence[PreparedUnit], numbers: Mapping[str, int]) -> list[int]:
    """Return a number for each document, equal for documents that are in the same units."""
    of = [0] * documents
    known: dict[tuple[int, int], int] = {}
    for number, unit in enumerate(units):
        for place in {numbers[name] for name in unit.document_ids if name in numbers}:
            # Documents that were in the same units before this one, and are in it, stay together.
            of[place] = known.setdefault((of[place], number), len(known) + 1)
    return of
