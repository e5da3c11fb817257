"""Parser: the visible text of an HTML page."""

from __future__ import annotations

import re

from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument, decode_text
from bakeoff.knowledge.registries import parsers
from bakeoff.knowledge.visible import visible_text

VERSION = "1"
LIBRARIES = ["selectolax"]
DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
HEAD_BYTES = 1024
"""Where a declaration must stand, as the HTML standard says."""


@parsers.register("html", version=VERSION, facts={"libraries": LIBRARIES})
def html() -> Parser:
    """Take the text that a reader of the page sees, without navigation, header and footer."""

    def parse(source: SourceDocument) -> ParsedDocument:
        found = DECLARED.search(source.data[:HEAD_BYTES])
        declared = found.group(1).decode("ascii") if found else ""
        return ParsedDocument(visible_text(decode_text(source.data, source.media_type, declared)))

    return parse
