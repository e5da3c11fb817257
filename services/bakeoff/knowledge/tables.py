"""The documents and chunks of a knowledge base as columns, so that a million of them are a few arrays."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.answer import Span
from bakeoff.domain.ranking import SourceColumns, SourceTable
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.places import Places

WHOLE = -1
"""Start and stop of a document that is the whole original, and of the pages of a document without pages."""


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
        self.places = Places(arrays)

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

    def sources(self, documents: NDArray[np.integer]) -> SourceTable:
        """Return where documents come from, as a table with a row each."""
        places = np.frombuffer(self._document_originals, np.int32)[documents]
        originals, places = np.unique(places, return_inverse=True)
        spans = np.frombuffer(self._document_spans, np.int64).reshape(-1, 2)[documents]
        ids, ends = self._document_ids, self._document_id_ends
        return SourceTable(
            SourceColumns(
                [_text_at(self._raw_keys, self._raw_key_ends, original) for original in originals.tolist()],
                [self._raw_sha256s[32 * original : 32 * original + 32].hex() for original in originals.tolist()],
                [_text_at(ids, ends, document) for document in documents.tolist()],
                places.tolist(),
                spans[:, 0].tolist(),
                spans[:, 1].tolist(),
            )
        )

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
