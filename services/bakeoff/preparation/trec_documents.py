"""Documents of classic collections: TREC's SGML, SMART's dotted fields, or one file each."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from bakeoff.preparation.record_documents import TextDocument
from bakeoff.preparation.records import fault

DOC = re.compile(r"<doc>(.*?)</doc>", re.DOTALL | re.IGNORECASE)
DOCNO = re.compile(r"<docno>(.*?)</docno>", re.DOTALL | re.IGNORECASE)
TITLE = re.compile(r"<(?:title|headline)>(.*?)</(?:title|headline)>", re.DOTALL | re.IGNORECASE)
UNSAID = re.compile(r"<(docno|docid|author|bib|date)>.*?</\1>", re.DOTALL | re.IGNORECASE)
"""What is no part of the text."""
TAG = re.compile(r"<[/!]?[a-zA-Z][^<>]*>")
SMART_START = re.compile(r"\A\s*\.I\s", re.IGNORECASE)
SMART_ITEM = re.compile(r"^\.I\s+(\S+)[ \t]*$", re.MULTILINE)
SMART_FIELD = re.compile(r"^\.([A-Z])[ \t]*$", re.MULTILINE)


def read_text(path: Path) -> str:
    """Return a file's text: UTF-8, or Latin-1, in which many of these collections were typed."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_documents(path: Path) -> Iterator[TextDocument]:
    """Yield the documents of a file, told by how it begins; one that is neither SGML nor SMART's is one document.

    Raises:
        InvalidInputError: a document has no id.
    """
    text = read_text(path)
    if SMART_START.search(text):
        for number, fields in smart_items(text):
            yield TextDocument(number, plain(fields.get("T", "")), plain(fields.get("W", "")))
    elif DOC.search(text):
        yield from _sgml(path, text)
    else:
        yield TextDocument(path.stem, "", plain(TAG.sub(" ", text)))


def smart_items(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the number and the fields by their letter of each item: `.I 1`, then `.T`, `.W` and so on."""
    starts = list(SMART_ITEM.finditer(text))
    stops = [start.start() for start in starts[1:]] + [len(text)]
    for start, stop in zip(starts, stops, strict=True):
        parts = SMART_FIELD.split(text[start.end() : stop])
        yield start[1], dict(zip(parts[1::2], parts[2::2], strict=True))


def plain(text: str) -> str:
    """Return text without entities, white space run together."""
    return " ".join(html.unescape(text).split())


def _sgml(path: Path, text: str) -> Iterator[TextDocument]:
    for found in DOC.finditer(text):
        body = found[1]
        docno = DOCNO.search(body)
        if docno is None or not docno[1].strip():
            raise fault(path, text.count("\n", 0, found.start()) + 1, "docno", "a document has no DOCNO")
        title = TITLE.search(body)
        rest = UNSAID.sub(" ", body[: title.start()] + body[title.end() :] if title else body)
        heading = plain(TAG.sub(" ", title[1])) if title else ""
        yield TextDocument(docno[1].strip(), heading, plain(TAG.sub(" ", rest)))
