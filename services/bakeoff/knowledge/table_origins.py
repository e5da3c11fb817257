"""Collecting whose documents are, and where their bytes lie, into columns: those of a whole knowledge base."""

from __future__ import annotations

from array import array

import numpy as np

from bakeoff.domain.answer import Span
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.joined_texts import JoinedTexts
from bakeoff.knowledge.lots import Origin
from bakeoff.knowledge.tables import WHOLE


class OriginWriter:
    """Collects documents in order."""

    def __init__(self) -> None:
        """Begin without documents."""
        self.documents = 0
        self._document_ids = JoinedTexts()
        self._originals: dict[tuple[str, str], int] = {}
        self._document_originals = array("i")
        self._document_spans = array("q")

    def add(self, origin: Origin) -> None:
        """Add a document."""
        original = (origin.raw_key, origin.raw_sha256)
        span = origin.raw_bytes or Span(WHOLE, WHOLE)
        self._document_originals.append(self._originals.setdefault(original, len(self._originals)))
        self._document_ids.add(origin.document_id)
        self._document_spans.extend((span.start, span.stop))
        self.documents += 1

    def arrays(self) -> Arrays:
        """Return everything as columns."""
        raw_keys = JoinedTexts()
        for raw_key, _ in self._originals:
            raw_keys.add(raw_key)
        digests = bytes.fromhex("".join(digest for _, digest in self._originals))
        return {
            **self._document_ids.arrays("document_id"),
            "document_originals": np.frombuffer(self._document_originals, np.int32),
            "document_spans": np.frombuffer(self._document_spans, np.int64).reshape(-1, 2),
            **raw_keys.arrays("raw_key"),
            "raw_sha256s": np.frombuffer(digests, np.uint8),
        }
