"""Parser: plain text as it is."""

from __future__ import annotations

from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument, decode_or_guess
from bakeoff.knowledge.registries import parsers

VERSION = "2"


@parsers.register("text", version=VERSION)
def text() -> Parser:
    """Take the bytes as text, unchanged."""

    def parse(source: SourceDocument) -> ParsedDocument:
        found, notes = decode_or_guess(source.data, source.media_type)
        return ParsedDocument(found, notes=notes)

    return parse
