"""Making a cited text again from the original's bytes: the proof that a passage says what its source says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Passage
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import DigestMismatchError, InvalidInputError
from bakeoff.domain.identity import sha256_hex
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.registries import parsers


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A passage's text, made again."""

    text: str
    """The characters of the passage's span."""
    pages: tuple[int, ...]
    """Pages, from 0, whose characters the span touches; empty when the document has none."""


def source_of(passage: Passage, original: bytes, name: str, media_type: str) -> SourceDocument:
    """Return the document that a passage comes from, cut out of its original.

    Args:
        passage: Names the original's digest, and the document's bytes in it.
        original: The original's bytes.
        name: File name of the document.
        media_type: What its parser was chosen by.

    Raises:
        DigestMismatchError: the original's bytes are others than those that were read when the passage was made.
        InvalidInputError: the document reaches beyond its original.
    """
    digest = sha256_hex(original)
    if digest != passage.raw_sha256:
        raise DigestMismatchError(f"{passage.raw_key!r} has the SHA-256 {digest}, the passage {passage.raw_sha256}")
    span = passage.raw_bytes
    if span is not None and span.stop > len(original):
        raise InvalidInputError(
            f"{passage.chunk_id}: bytes {span.start} to {span.stop} of an original that ends at {len(original)}"
        )
    data = original if span is None else original[span.start : span.stop]
    return SourceDocument(passage.document_id, data, media_type, name, passage.raw_key, digest, span)


def parsed_again(parser: ComponentSpec, source: SourceDocument, plugins: Sequence[str] = ()) -> ParsedDocument:
    """Return a document as a recipe's parser reads it.

    Args:
        parser: The parser.
        source: The document.
        plugins: Modules that bring further parsers.

    Raises:
        NotFoundError: there is no such parser.
        InvalidInputError: the document cannot be read.
    """
    try:
        return parsers.load(plugins).make(parser)(source)
    except UnreadableDocumentError as error:
        raise InvalidInputError(f"document {source.document_id!r} cannot be read: {error}") from error


def rebuilt(passage: Passage, document: ParsedDocument) -> Rebuilt:
    """Return what a passage's span holds.

    Raises:
        InvalidInputError: the span reaches beyond the text.
    """
    start, stop = passage.chars.start, passage.chars.stop
    if stop > len(document.text):
        raise InvalidInputError(
            f"{passage.chunk_id}: characters {start} to {stop} of a text that ends at {len(document.text)}"
        )
    spans = document.page_spans or ()
    pages = tuple(number for number, page in enumerate(spans) if page.start < stop and start < page.stop)
    return Rebuilt(document.text[start:stop], pages)
