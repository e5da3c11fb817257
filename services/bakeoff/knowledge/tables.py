"""The documents and chunks of a knowledge base as columns, so that a million of them are a few arrays."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.answer import Span
from bakeoff.domain.identity import sha256_hex
from bakeoff.knowledge.chunking import Chunk
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument

WHOLE = -1
"""Start and stop of a document that is the whole original, and of the pages of a document without pages."""


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


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a document comes from."""

    document_id: str
    raw_key: str
    raw_sha256: str
    raw_bytes: Span | None
    first_chunk: int
    """Number of its first chunk in the knowledge base."""


@dataclass(frozen=True, slots=True)
class ChunkRows:
    """Where chunks come from, by columns; shape (chunks,) each."""

    documents: NDArray[np.int64]
    """Number of the document."""
    numbers: NDArray[np.int64]
    """Number of the chunk in its document."""
    char_starts: NDArray[np.int64]
    char_stops: NDArray[np.int64]
    page_starts: NDArray[np.int64]
    """Empty when no document has pages; -1 for a chunk without."""
    page_stops: NDArray[np.int64]


class Tables:
    """The documents and chunks of a knowledge base that is open.

    Single numbers are read through memory views, which are several times faster at that than arrays.
    """

    def __init__(self, arrays: Arrays) -> None:
        """Take what a TableWriter gave."""
        self._first_chunks = _numbers(arrays["first_chunks"])
        self._document_ids = _numbers(arrays["document_ids"])
        self._document_id_ends = _numbers(arrays["document_id_ends"])
        self._document_originals = _numbers(arrays["document_originals"])
        self._document_spans = _numbers(arrays["document_spans"])
        self._raw_keys = _numbers(arrays["raw_keys"])
        self._raw_key_ends = _numbers(arrays["raw_key_ends"])
        self._raw_sha256s = _numbers(arrays["raw_sha256s"])
        self._chars = _numbers(arrays["chunk_chars"])
        self._bytes = _numbers(arrays["chunk_bytes"])
        self._pages = _numbers(arrays["chunk_pages"])
        self._texts = _numbers(arrays["texts"])

    @property
    def documents(self) -> int:
        """Documents that have chunks."""
        return len(self._first_chunks) - 1

    @property
    def chunks(self) -> int:
        """Chunks, counted."""
        return len(self._chars) // 2

    def rows(self, chunks: NDArray[np.integer]) -> ChunkRows:
        """Return where chunks come from."""
        first = np.frombuffer(self._first_chunks, np.int64)
        chars = np.frombuffer(self._chars, np.int64).reshape(-1, 2)[chunks]
        documents = np.searchsorted(first, chunks, side="right") - 1
        pages = np.zeros((0, 2), np.int64)
        if len(self._pages):
            pages = np.frombuffer(self._pages, np.int32).reshape(-1, 2)[chunks].astype(np.int64)
            if not (pages != WHOLE).any():
                pages = pages[:0]
        return ChunkRows(documents, chunks - first[documents], chars[:, 0], chars[:, 1], pages[:, 0], pages[:, 1])

    def document_of(self, chunk: int) -> int:
        """Return the number of a chunk's document."""
        return bisect_right(self._first_chunks, chunk) - 1

    def provenance(self, document: int) -> Provenance:
        """Return where a document comes from."""
        original = self._document_originals[document]
        start, stop = self._document_spans[2 * document : 2 * document + 2]
        return Provenance(
            _text_at(self._document_ids, self._document_id_ends, document),
            _text_at(self._raw_keys, self._raw_key_ends, original),
            self._raw_sha256s[32 * original : 32 * original + 32].hex(),
            None if start == WHOLE else Span(start, stop),
            self._first_chunks[document],
        )

    def chars(self, chunk: int) -> Span:
        """Return the characters of a chunk in its document's text."""
        return Span(*self._chars[2 * chunk : 2 * chunk + 2])

    def pages(self, chunk: int) -> Span | None:
        """Return the pages of a chunk; None when its document has none."""
        if not self._pages or self._pages[2 * chunk] == WHOLE:
            return None
        return Span(*self._pages[2 * chunk : 2 * chunk + 2])

    def encoded_text(self, chunk: int) -> bytes:
        """Return the text of a chunk in UTF-8."""
        start, stop = self._bytes[2 * chunk : 2 * chunk + 2]
        return bytes(self._texts[start:stop])


def _numbers(array: NDArray[np.generic]) -> memoryview[int]:
    """Return an array's numbers, row by row, as a view."""
    return array.reshape(-1).data


def _text_at(joined: memoryview[int], ends: memoryview[int], number: int) -> str:
    start = ends[number - 1] if number else 0
    return str(joined[start : ends[number]], "utf-8")
