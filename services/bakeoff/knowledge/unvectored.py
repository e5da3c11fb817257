"""Chunks that have no vector: which documents they are of, so that nobody wonders why they are never found."""

from __future__ import annotations

from collections import Counter

import numpy as np

from bakeoff.knowledge.embedding import Vectors
from bakeoff.knowledge.indexing import Arrays
from bakeoff.knowledge.tables import Tables

BLOCK = 1 << 16


def unvectored_documents(columns: Arrays, vectors: Vectors) -> dict[str, str]:
    """Return a remark for each document with chunks whose vector is zero, by the document's id and in their order.

    Args:
        columns: The table of all chunks.
        vectors: One a chunk; perhaps mapped from a file.
    """
    zero = [
        first + int(at)
        for first in range(0, len(vectors), BLOCK)
        for at in np.flatnonzero(~vectors[first : first + BLOCK].any(axis=1))
    ]
    if not zero:
        return {}
    tables = Tables(columns)
    counts = Counter(tables.document_of(chunk) for chunk in zero)
    return {tables.provenance(document).document_id: _remark(count) for document, count in counts.items()}


def _remark(chunks: int) -> str:
    what = "1 chunk has" if chunks == 1 else f"{chunks} chunks have"
    return f"{what} no vector: the embedder refused the text or found nothing in it; vectors never find it"
