"""Ids of documents, each taken once: the same record twice is one document, another with its id is refused."""

from __future__ import annotations

from pathlib import Path

from bakeoff.domain.benchmark import BenchmarkDocument, ByteSpan
from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.records import line_of


def claim_document(document: BenchmarkDocument, places: dict[str, int]) -> bool:
    """Return whether a document is new; False when the same record was there before. Refuse another with its id.

    Of a record only the first byte is kept: among a million documents a line is looked up only when an id repeats.

    Args:
        document: The document.
        places: First byte of the record by id, -1 of what is no record; a new document is added to it.

    Raises:
        InvalidInputError: another document has the id; names both lines.
    """
    start = document.span.start if document.span else -1
    if document.document_id not in places:
        places[document.document_id] = start
        return True
    lines = ""
    first = places[document.document_id]
    if document.path is not None and document.span is not None and first >= 0:
        if _same_record(document.path, first, document.span):
            return False
        lines = f" on lines {line_of(document.path, first)} and {line_of(document.path, start)} of {document.path}"
    raise InvalidInputError(f"two documents have the id {document.document_id!r}{lines}")


def _same_record(path: Path, first: int, span: ByteSpan) -> bool:
    with path.open("rb") as file:
        file.seek(first)
        before = file.readline().rstrip(b"\r\n")
        file.seek(span.start)
        return before == file.read(span.size_bytes)
