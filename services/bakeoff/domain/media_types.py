"""What kind of file some bytes are: by their content, then by the name's ending."""

from __future__ import annotations

from pathlib import PurePosixPath

RECORD = "application/vnd.bakeoff.record+json"
"""One JSON object with `text` and perhaps `title`: a line of a corpus."""
OCTETS = "application/octet-stream"
HEAD_BYTES = 4096
"""First bytes that decide."""

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
ZIPPED = {
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
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
}


def sniff(head: bytes, name: str) -> str:
    """Return the media type of a file.

    Args:
        head: Its first bytes, `HEAD_BYTES` or all when it is shorter.
        name: Its file name; decides only what content cannot.
    """
    ending = PurePosixPath(name.lower()).suffix
    for signature, media_type in SIGNATURES:
        if head.startswith(signature):
            return media_type
    if head.startswith(b"PK\x03\x04"):
        return ZIPPED.get(ending, "application/zip")
    if not _is_text(head):
        return OCTETS
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:15].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "text/html"
    return TEXTS.get(ending, "text/plain")


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16 with its byte order mark
        return True
    # No text encoding of one byte a character uses these; tab, line ends, form feed and escape are text.
    return not any(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
