"""Documents in lots: what is parsed, chunked and embedded together, stored as one artefact and shared as one.

A document of its own would make a million passages three million objects; a whole corpus would be one task for one
process, and made anew when a document is added. Where a lot ends is told by the documents in it, so that two corpora
that differ in a few documents agree on nearly all lots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bakeoff.domain.answer import Span
from bakeoff.domain.identity import sha256_hex
from bakeoff.knowledge.parsing import SourceDocument

D = TypeVar("D")

LEAST_DOCUMENTS = 1024
MOST_DOCUMENTS = 4096
MOST_BYTES = 4 << 20
LARGE_BYTES = 256 << 10
"""A document from this size on is a lot of its own, whatever stands beside it."""
LAST_DIGITS = 3
LAST_BELOW = 4
"""A lot of LEAST_DOCUMENTS ends with a document whose digest's first three digits are below: one of 1,024."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose a document is: what does not change what it says."""

    document_id: str
    raw_key: str
    """Key of the original in raw storage; empty when it is not stored."""
    raw_sha256: str
    """Digest of the original."""
    raw_bytes: Span | None
    """The document's bytes within the original; None when it is the whole."""


@dataclass(frozen=True, slots=True)
class Content:
    """All that may decide what a parser makes of a document."""

    sha256: str
    """Of the document's own bytes, whatever original they were cut from."""
    media_type: str
    name: str


@dataclass(frozen=True, slots=True)
class Lot:
    """Documents that are worked on together."""

    origins: tuple[Origin, ...]
    contents: tuple[Content, ...]
    """One a document, in their order."""
    read: Callable[[], Sequence[SourceDocument]]
    """Gets the documents' bytes; called when they are needed, perhaps never."""


def cut_lots(
    documents: Iterable[D], measure: Callable[[D], tuple[int, str]], *, apart: Callable[[D], object] = lambda _: None
) -> Iterator[list[D]]:
    """Yield documents in runs of their order.

    Args:
        documents: In order.
        measure: Size in bytes and SHA-256 of a document.
        apart: Documents for which it gives different values are in different lots.
    """
    lot: list[D] = []
    held, of = 0, None
    for document in documents:
        size, digest = measure(document)
        mine = apart(document)
        if lot and (mine != of or size >= LARGE_BYTES or held + size > MOST_BYTES):
            yield lot
            lot, held = [], 0
        lot.append(document)
        held, of = held + size, mine
        ends = len(lot) >= LEAST_DOCUMENTS and int(digest[:LAST_DIGITS], 16) < LAST_BELOW
        if ends or size >= LARGE_BYTES or len(lot) == MOST_DOCUMENTS:
            yield lot
            lot, held = [], 0
    if lot:
        yield lot


def lots_in_memory(documents: Iterable[SourceDocument]) -> Iterator[Lot]:
    """Yield documents that are at hand as lots, reading no further ahead than one lot."""
    pairs = ((document, sha256_hex(document.data)) for document in documents)
    for lot in cut_lots(pairs, lambda pair: (len(pair[0].data), pair[1])):
        sources = [document for document, _ in lot]
        yield Lot(
            tuple(
                Origin(document.document_id, document.raw_key, document.raw_sha256 or digest, document.raw_bytes)
                for document, digest in lot
            ),
            tuple(Content(digest, document.media_type, document.name) for document, digest in lot),
            sources.copy,
        )
