"""What kind of file some bytes are: by their content, then by the name's ending."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

RECORD = "application/vnd.bakeoff.record+json"
"""One JSON object with `text` and perhaps `title`: a line of a corpus."""
OCTETS = "application/octet-stream"
HEAD_BYTES = 4096
"""First bytes that decide."""

CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""No text encoding of one byte a character uses these; tab, line ends, form feed and escape are text."""

SIGNATURES = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"{\\rtf", "application/rtf"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
)
SIGNED = tuple(signature for signature, _ in SIGNATURES)
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
MAIL = "message/rfc822"
PARTS = ((b"word/document.xml", DOCX), (b"xl/workbook.xml", XLSX), (b"ppt/presentation.xml", PPTX))
"""Names of parts that make a ZIP archive what it is; names are not compressed."""
MAIL_STARTS = (b"return-path:", b"received:", b"delivered-to:", b"mime-version:", b"message-id:")
ZIPPED = {
    ".docx": DOCX,
    ".xlsx": XLSX,
    ".pptx": PPTX,
    ".odt": "application/vnd.oasis.opendocument.text",
    ".epub": "application/epub+zip",
}
TEXTS = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".rst": "text/x-rst",
    ".eml": MAIL,
}


def sniff(head: bytes, name: str) -> str:
    """Return the media type of a file.

    Args:
        head: Its first bytes, `HEAD_BYTES` or all when it is shorter; with all of a longer one more is seen.
        name: Its file name; decides only what content cannot.
    """
    ending = PurePosixPath(name.lower()).suffix if name else ""
    if head.startswith(SIGNED):  # most are not: one look for them
        return next(media_type for signature, media_type in SIGNATURES if head.startswith(signature))
    if head.startswith(b"PK\x03\x04"):
        inside = next((media_type for part, media_type in PARTS if part in head), None)
        return inside or ZIPPED.get(ending, "application/zip")
    if not _is_text(head[:HEAD_BYTES]):
        return OCTETS
    start = head[:HEAD_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()[:15].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "text/html"
    if start.startswith(MAIL_STARTS):
        return MAIL
    return TEXTS.get(ending, "text/plain")


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16 with its byte order mark
        return True
    return CONTROL.search(head) is None
