"""What a parser is: bytes of one document in, its text out."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from email.message import Message
from typing import Protocol

from bakeoff.domain.answer import Span
from bakeoff.domain.errors import BakeoffError
from bakeoff.knowledge.structure import Heading, Table

FALLBACK = "windows-1252"
"""Read as this, and said, where a parser takes text of no known encoding."""
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    # The marks of UTF-32 begin with those of UTF-16, so they come first.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

MARKS = tuple(mark for mark, _ in BOMS)


class UnreadableDocumentError(BakeoffError):
    """A document's bytes are not what its media type says; the others are not concerned."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One document with its bytes, and where they come from."""

    document_id: str
    """The benchmark's id."""
    data: bytes
    media_type: str = "text/plain"
    """May state a `charset`, which counts when the bytes are no UTF-8."""
    name: str = ""
    """File name; empty when not known."""
    raw_key: str = ""
    """Key of the original in raw storage; empty when it is not stored."""
    raw_sha256: str = ""
    """Digest of the original; empty means that of `data`."""
    raw_bytes: Span | None = None
    """The document's bytes within the original; None when it is the whole."""
    unread: str = ""
    """Why `data` is empty though the document is not: it is not parsed; empty when its bytes are there."""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The text of a document. Every character span of its chunks counts in this text."""

    text: str
    page_spans: tuple[Span, ...] | None = None
    """Characters of each page, in order and without overlap; None when the document has no pages."""
    page_labels: tuple[str, ...] | None = None
    """What is printed on each page, such as `iv`; None when the document does not say."""
    headings: tuple[Heading, ...] = ()
    """In the order of the text; empty when none is known."""
    tables: tuple[Table, ...] = ()
    """In the order of the text, the inner one behind the outer one."""
    notes: tuple[str, ...] = ()
    """What a reader of the results should know, a sentence each: pages without text, an encoding that was guessed."""


class Parser(Protocol):
    """Turns one document's bytes into text; deterministic and thread-safe."""

    def __call__(self, source: SourceDocument) -> ParsedDocument:
        """Return the document's text.

        Raises:
            UnreadableDocumentError: the bytes cannot be read; the message says why, without naming the document.
        """


def media_type_of(stated: str) -> str:
    """Return a media type in lower case without its parameters."""
    return stated.partition(";")[0].strip().lower()


def decode_or_guess(data: bytes, media_type: str = "", declared: str = "") -> tuple[str, tuple[str, ...]]:
    """Return bytes as text like `decode_text`, else as `FALLBACK` with a note that says so.

    Raises:
        UnreadableDocumentError: no encoding fits.
    """
    try:
        return decode_text(data, media_type, declared), ()
    except UnreadableDocumentError as error:
        if _charset(media_type) or declared or b"\0" in data or data.startswith(MARKS):
            raise
        try:
            text = data.decode(FALLBACK)
        except UnicodeDecodeError:
            raise error from None
        return text, (f"{error}: read as {FALLBACK}",)


def decode_text(data: bytes, media_type: str = "", declared: str = "") -> str:
    """Return bytes as text: by their byte order mark, as UTF-8, or as the encoding that is declared.

    Args:
        data: The bytes.
        media_type: Its `charset` is a declared encoding.
        declared: An encoding that the document itself declares, tried after the media type's.

    Raises:
        UnreadableDocumentError: none of these encodings fits.
    """
    if data.startswith(MARKS):  # most are not: one look for them
        mark, encoding = next(each for each in BOMS if data.startswith(each[0]))
        return _decode(data[len(mark) :], encoding)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        encodings = [encoding for encoding in (_charset(media_type), declared) if encoding]
        if not encodings:
            raise UnreadableDocumentError(
                f"byte {error.start} (0x{data[error.start]:02x}) is no UTF-8 and no other encoding is declared"
            ) from error
        return _decode(data, encodings[0])


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except LookupError as error:
        raise UnreadableDocumentError(f"the declared encoding {encoding!r} is not known") from error
    except UnicodeDecodeError as error:
        raise UnreadableDocumentError(f"byte {error.start} is not {encoding}: {error.reason}") from error


def _charset(media_type: str) -> str:
    if ";" not in media_type:
        return ""
    header = Message()
    header["Content-Type"] = media_type
    return header.get_content_charset("") or ""
