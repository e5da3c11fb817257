"""Media types by content, then by name."""

from __future__ import annotations

import pytest

from bakeoff.domain.media_types import sniff


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (b"%PDF-1.7\n%\xe2", "paper.txt", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n", "a", "image/png"),
        (b"PK\x03\x04...", "a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (b"PK\x03\x04...", "a.bin", "application/zip"),
        (b"\xef\xbb\xbf\n <!DOCTYPE HTML><p>", "page.txt", "text/html"),
        (b"<html lang=en>", "page", "text/html"),
        (b"# Title", "a.MD", "text/markdown"),
        (b"# Title", "a.txt", "text/plain"),
        (b"<p>part of a page</p>", "a.html", "text/html"),
        (b"a,b\n1,2\n", "a.csv", "text/csv"),
        (b"", "empty.md", "text/markdown"),
        (b"", "empty", "text/plain"),
        ("caf\xe9".encode("latin-1"), "a.txt", "text/plain"),
        ("\ufeffwords".encode("utf-16-le"), "a.txt", "text/plain"),
        (b"\x00\x01\x02", "a.txt", "application/octet-stream"),
    ],
)
def test_content_decides_and_then_the_name(head: bytes, name: str, expected: str) -> None:
    assert sniff(head, name) == expected
