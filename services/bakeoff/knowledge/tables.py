"""The documents and chunks of a knowledge base as columns, so that a million of them are a few arrays."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class TableWriter:
    """Collects documents and their chunks."""

    texts: list[bytes] = field(default_factory=list)
    document_ids: list[str] = field(default_factory=list)
    originals: dict[tuple[str, str], int] = field(default_factory=dict)
    document_originals: list[int] = field(default_factory=list)
    document_spans: list[tuple[int, int]] = field(default_factory=list)
    first_chunks: list[int] = field(default_factory=lambda: [0])
    chars: list[Chunk] = field(default_factory=list)
    bytes_: list[Chunk] = field(default_factory=list)
    pages: list[Chunk] = field(default_factory=list)
    size: int = 0
    """Bytes of all texts so far."""

    def add(self, source: SourceDocument, cut: CutDocument) -> None:
        """Add a document with its chunks, at least one."""
        original = (source.raw_key, source.raw_sha256 or sha256_hex(source.data))
        self.document_originals.append(self.originals.setdefault(original, len(self.originals)))
        self.document_ids.append(source.document_id)
        self.document_spans.append(
            (source.raw_bytes.start, source.raw_bytes.stop) if source.raw_bytes else (WHOLE, WHOLE)
        )
        self.chars += cut.chunks
        self.bytes_ += _in_bytes(cut.parsed.text, cut.chunks, self.size)
        self.pages += [_pages_of(chunk, cut.parsed.page_spans) for chunk in cut.chunks]
        self.first_chunks.append(len(self.chars))
        self.texts.append(cut.encoded)
        self.size += len(cut.encoded)

    def arrays(self) -> Arrays:
        """Return everything as columns."""
        keys, digests = zip(*self.originals, strict=True)
        ids, id_ends = _joined([document_id.encode() for document_id in self.document_ids])
        raw_keys, raw_key_ends = _joined([key.encode() for key in keys])
        return {
            "texts": np.frombuffer(b"".join(self.texts), np.uint8),
            "document_ids": ids,
            "document_id_ends": id_ends,
            "document_originals": np.array(self.document_originals, np.int32),
            "document_spans": np.array(self.document_spans, np.int64),
            "first_chunks": np.array(self.first_chunks, np.int64),
            "raw_keys": raw_keys,
            "raw_key_ends": raw_key_ends,
            "raw_sha256s": np.frombuffer(bytes.fromhex("".join(digests)), np.uint8),
            "chunk_chars": np.array(self.chars, np.int64),
            "chunk_bytes": np.array(self.bytes_, np.int64),
            "chunk_pages": np.array(self.pages, np.int32)
            if any(page[0] != WHOLE for page in self.pages)
            else np.zeros((0, 2), np.int32),
        }


def _joined(texts: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return texts one behind the other, and where each ends."""
    return np.frombuffer(b"".join(texts), np.uint8), np.cumsum([len(text) for text in texts], dtype=np.int64)


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


def _pages_of(chunk: Chunk, pages: Sequence[Span] | None) -> Chunk:
    """Return the pages that a chunk touches, `[first, last + 1)`."""
    touched = [number for number, page in enumerate(pages or ()) if page.start < chunk[1] and chunk[0] < page.stop]
    return (touched[0], touched[-1] + 1) if touched else (WHOLE, WHOLE)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a document comes from."""

    document_id: str
    raw_key: str
    raw_sha256: str
    raw_bytes: Span | None
    first_chunk: int
    """Number of its first chunk in the knowledge base."""


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
