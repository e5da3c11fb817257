"""Collecting the documents and chunks of a knowledge base into columns."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from bakeoff.domain.answer import Span
from bakeoff.domain.identity import sha256_hex
from bakeoff.knowledge.chunking import Chunk
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument
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
        self._document_ids = JoinedTexts()
        self._originals: dict[tuple[str, str], int] = {}
        self._document_originals = array("i")
        self._document_spans = array("q")
        self._first_chunks = array("q", [0])
        self._chars = array("q")
        self._bytes = array("q")
        self._pages = array("i")

    def add(self, source: SourceDocument, cut: CutDocument) -> None:
        """Add a document with its chunks, at least one."""
        original = (source.raw_key, source.raw_sha256 or sha256_hex(source.data))
        span = source.raw_bytes or Span(WHOLE, WHOLE)
        self._document_originals.append(self._originals.setdefault(original, len(self._originals)))
        self._document_ids.add(source.document_id)
        self._document_spans.extend((span.start, span.stop))
        self._chars.extend(chain.from_iterable(cut.chunks))
        self._bytes.extend(chain.from_iterable(_in_bytes(cut.parsed.text, cut.chunks, len(self._texts))))
        self._pages.extend(chain.from_iterable(_pages_of(cut.chunks, cut.parsed.page_spans)))
        self._first_chunks.append(len(self._chars) // 2)
        self._texts += cut.encoded
        self.documents += 1

    def arrays(self) -> Arrays:
        """Return everything as columns."""
        raw_keys = JoinedTexts()
        for raw_key, _ in self._originals:
            raw_keys.add(raw_key)
        digests = bytes.fromhex("".join(digest for _, digest in self._originals))
        paged = any(page != WHOLE for page in self._pages)
        return {
            "texts": np.frombuffer(self._texts, np.uint8),
            "document_ids": np.frombuffer(self._document_ids.texts, np.uint8),
            "document_id_ends": np.frombuffer(self._document_ids.ends, np.int64),
            "document_originals": np.frombuffer(self._document_originals, np.int32),
            "document_spans": np.frombuffer(self._document_spans, np.int64).reshape(-1, 2),
            "first_chunks": np.frombuffer(self._first_chunks, np.int64),
            "raw_keys": np.frombuffer(raw_keys.texts, np.uint8),
            "raw_key_ends": np.frombuffer(raw_keys.ends, np.int64),
            "raw_sha256s": np.frombuffer(digests, np.uint8),
            "chunk_chars": np.frombuffer(self._chars, np.int64).reshape(-1, 2),
            "chunk_bytes": np.frombuffer(self._bytes, np.int64).reshape(-1, 2),
            "chunk_pages": np.frombuffer(self._pages if paged else array("i"), np.int32).reshape(-1, 2),
        }


class JoinedTexts:
    """Texts one behind the other in UTF-8, and where each ends."""

    def __init__(self) -> None:
        """Begin without texts."""
        self.texts = bytearray()
        self.ends = array("q")

    def add(self, text: str) -> None:
        """Add a text."""
        self.texts += text.encode("utf-8")
        self.ends.append(len(self.texts))


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
