"""Collecting what documents say, and where their chunks are, into columns: those of one lot of documents.

What is here depends on the documents' bytes, parser and chunker alone. Whose the documents are is told by
`table_origins`, and `table_merging` makes one table of many lots: a new column needs a line there.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from bakeoff.domain.answer import Span
from bakeoff.knowledge.chunking import Chunk
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.places import PlaceWriter
from bakeoff.knowledge.tables import WHOLE


@dataclass(frozen=True, slots=True)
class CutDocument:
    """A document, parsed and cut."""

    parsed: ParsedDocument
    encoded: bytes
    """Its text in UTF-8."""
    chunks: list[Chunk]
    """Empty when the text is."""


class TableWriter:
    """Collects documents and their chunks, in as little memory as they take in the file."""

    def __init__(self) -> None:
        """Begin without documents."""
        self.documents = 0
        self._texts = bytearray()
        self._first_chunks = array("q", [0])
        self._chars = array("q")
        self._bytes = array("q")
        self._pages = array("i")
        self._places = PlaceWriter()

    def add(self, cut: CutDocument) -> None:
        """Add a document with its chunks, at least one."""
        self._chars.extend(chain.from_iterable(cut.chunks))
        self._bytes.extend(chain.from_iterable(_in_bytes(cut.parsed.text, cut.chunks, len(self._texts))))
        pages = _pages_of(cut.chunks, cut.parsed.page_spans)
        self._pages.extend(chain.from_iterable(pages))
        self._places.add(cut.parsed, cut.chunks, pages)
        self._first_chunks.append(len(self._chars) // 2)
        self._texts += cut.encoded
        self.documents += 1

    def arrays(self) -> Arrays:
        """Return everything as columns."""
        paged = any(page != WHOLE for page in self._pages)
        return {
            "texts": np.frombuffer(self._texts, np.uint8),
            "first_chunks": np.frombuffer(self._first_chunks, np.int64),
            "chunk_chars": np.frombuffer(self._chars, np.int64).reshape(-1, 2),
            "chunk_bytes": np.frombuffer(self._bytes, np.int64).reshape(-1, 2),
            "chunk_pages": np.frombuffer(self._pages if paged else array("i"), np.int32).reshape(-1, 2),
            **self._places.arrays(),
        }


def _in_bytes(text: str, chunks: Sequence[Chunk], offset: int) -> list[Chunk]:
    """Return character spans as spans of the text in UTF-8, moved by an offset."""
    if text.isascii():
        return [(start + offset, stop + offset) for start, stop in chunks]
    spans = []
    before = 0
    for start, stop in chunks:
        offset += len(text[before:start].encode())
        spans.append((offset, offset + len(text[start:stop].encode())))
        before = start
    return spans


def _pages_of(chunks: Sequence[Chunk], pages: Sequence[Span] | None) -> list[Chunk]:
    """Return the pages that each chunk touches, `[first, last + 1)`."""
    if not pages:
        return [(WHOLE, WHOLE)] * len(chunks)
    starts, stops = [page.start for page in pages], [page.stop for page in pages]
    touched = [(bisect_right(stops, start), bisect_left(starts, stop)) for start, stop in chunks]
    return [(first, last) if first < last else (WHOLE, WHOLE) for first, last in touched]
