"""Parser: plain text as it is."""

from __future__ import annotations

from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument, decode_text
from bakeoff.knowledge.registries import parsers

VERSION = "1"


@parsers.register("text", version=VERSION)
def text() -> Parser:
    """Take the bytes as text, unchanged."""

    def parse(source: SourceDocument) -> ParsedDocument:
        return ParsedDocument(decode_text(source.data, source.media_type))

    return parse
