"""Domain nouns as stored objects: JSON with the fields in their order, so that equal nouns are equal bytes."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Protocol, TypeVar, cast

import msgspec

from bakeoff.contract.stored_plan import decode_plan
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.prepared import PreparedDocument, PreparedManifest, PreparedOriginal, PreparedUnit
from bakeoff.domain.work import Plan

T = TypeVar("T")
JSON = "application/json"


def encode(noun: object) -> bytes:
    """Return the JSON of a dataclass, or of a tuple of them.

    Raises:
        InvalidInputError: a number is NaN or infinite, which JSON cannot say.
    """
    return msgspec.json.encode(noun, enc_hook=_plain)


def _plain(value: object) -> object:
    if isinstance(value, MappingProxyType):  # the settings of a component that has none
        return dict(value)
    raise InvalidInputError(f"a {type(value).__name__} cannot be stored as JSON: {value!r}")


def decode(data: bytes, kind: type[T]) -> T:
    """Read a dataclass back from its JSON.

    Raises:
        InvalidInputError: the bytes are not that; the message says where.
    """
    try:
        if kind is Plan:
            return cast(T, decode_plan(data))
        return msgspec.json.decode(data, type=kind)
    except msgspec.MsgspecError as error:
        raise InvalidInputError(f"not a stored {getattr(kind, '__name__', kind)}: {error}") from error


class Reader(Protocol):
    """The part of an object store that reading needs."""

    def read(self, ref: ObjectRef) -> bytes:
        """Return an object's bytes, verified against the digest."""


class PreparedReader:
    """Reads what preparation wrote. The only reader of that format outside of preparation."""

    def __init__(self, objects: Reader, manifest: PreparedManifest) -> None:
        """Read from a store.

        Args:
            objects: Where the parts are.
            manifest: What they are parts of.
        """
        self._objects = objects
        self.manifest = manifest

    @classmethod
    def open(cls, objects: Reader, ref: ObjectRef) -> PreparedReader:
        """Read the manifest, and nothing else yet."""
        return cls(objects, decode(objects.read(ref), PreparedManifest))

    def originals(self, part: int) -> tuple[PreparedOriginal, ...]:
        """Return the originals of one part."""
        return decode(self._objects.read(self.manifest.original_parts[part]), tuple[PreparedOriginal, ...])

    def documents(self) -> Iterator[PreparedDocument]:
        """Yield all documents in the adapter's order, one part in memory at a time."""
        for part in range(len(self.manifest.document_parts)):
            yield from self.document_part(part)

    def document_part(self, part: int) -> tuple[PreparedDocument, ...]:
        """Return the documents of one part; all parts but the last have as many."""
        return decode(self._objects.read(self.manifest.document_parts[part]), tuple[PreparedDocument, ...])

    def documents_of(self, unit: PreparedUnit) -> Iterator[PreparedDocument]:
        """Yield the documents of a unit in the adapter's order."""
        if not unit.document_ids:
            yield from self.documents()
            return
        wanted = set(unit.document_ids)
        yield from (document for document in self.documents() if document.document_id in wanted)

    def units(self) -> tuple[PreparedUnit, ...]:
        """Return all units in the adapter's order."""
        return decode(self._objects.read(self.manifest.units), tuple[PreparedUnit, ...])

    def unit(self, unit_id: str) -> PreparedUnit:
        """Return one unit.

        Raises:
            InvalidInputError: there is no such unit.
        """
        for unit in self.units():
            if unit.unit_id == unit_id:
                return unit
        raise InvalidInputError(f"benchmark {self.manifest.benchmark.name!r} has no unit {unit_id!r}")

    def cases(self, start: int = 0, stop: int | None = None) -> Iterator[Case]:
        """Yield the cases `[start, stop)` of the prepared order; stop None means to the end."""
        end = self.manifest.cases if stop is None else min(stop, self.manifest.cases)
        size = self.manifest.cases_per_part
        for part in range(start // size, -(-end // size) if end > start else start // size):
            cases = decode(self._objects.read(self.manifest.case_parts[part]), tuple[Case, ...])
            yield from cases[max(start - part * size, 0) : end - part * size]

    def examples(self) -> Iterator[Case]:
        """Yield the cases for in-context examples in the order of their split, one part in memory at a time."""
        for ref in self.manifest.example_parts:
            yield from decode(self._objects.read(ref), tuple[Case, ...])
