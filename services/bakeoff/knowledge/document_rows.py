"""The documents of a prepared benchmark in a row, read part by part: a million take no memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import overload

from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prepared import PreparedDocument

PARTS_AT_HAND = 2
"""Parts that stay decoded: what follows each other may lie in two."""

Rows = tuple[PreparedDocument, ...]


class DocumentRows(Sequence[PreparedDocument]):
    """All documents in the adapter's order; not thread-safe."""

    def __init__(self, reader: PreparedReader) -> None:
        """Read nothing but the first part, which tells how many rows all parts but the last have.

        Raises:
            NotFoundError: it is gone.
            DigestMismatchError: it is not what was prepared.
        """
        self._reader = reader
        self._count = reader.manifest.documents
        self._at_hand: OrderedDict[int, Rows] = OrderedDict()
        self._rows_per_part = max(self._count, 1)
        if reader.manifest.document_parts:
            self._at_hand[0] = reader.document_part(0)
            self._rows_per_part = max(len(self._at_hand[0]), 1)

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count

    @overload
    def __getitem__(self, at: int) -> PreparedDocument: ...

    @overload
    def __getitem__(self, at: slice) -> Rows: ...

    def __getitem__(self, at: int | slice) -> PreparedDocument | Rows:
        """Return one document, or a run of them.

        Raises:
            IndexError: there is no such document.
            InvalidInputError: a part has another number of rows than it should.
            NotFoundError: a part is gone.
            DigestMismatchError: a part is not what was prepared.
        """
        if isinstance(at, slice):
            start, stop, step = at.indices(self._count)
            return tuple(self._run(start, stop))[::step] if step > 0 else tuple(self)[at]
        number = range(self._count)[at]
        return next(self._run(number, number + 1))

    def __iter__(self) -> Iterator[PreparedDocument]:
        """Yield all documents."""
        return self._run(0, self._count)

    def _run(self, start: int, stop: int) -> Iterator[PreparedDocument]:
        size = self._rows_per_part
        for part in range(start // size, -(-stop // size) if stop > start else 0):
            rows = self._part(part)
            yield from rows[max(start - part * size, 0) : stop - part * size]

    def _part(self, number: int) -> Rows:
        rows = self._at_hand.get(number)
        if rows is None:
            rows = self._reader.document_part(number)
            self._at_hand[number] = rows
            if len(self._at_hand) > PARTS_AT_HAND:
                self._at_hand.popitem(last=False)
        expected = min(self._rows_per_part, self._count - number * self._rows_per_part)
        if len(rows) != expected:
            raise InvalidInputError(
                f"part {number} of the documents of {self._reader.manifest.benchmark.name!r} has {len(rows)} rows, "
                f"not {expected}"
            )
        return rows
