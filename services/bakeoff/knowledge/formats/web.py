"""HTML: what its reader sees."""

from __future__ import annotations

import re
from dataclasses import replace

from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, decode_or_guess
from bakeoff.knowledge.visible import visible_document

DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
HEAD_BYTES = 1024
"""Where a declaration must stand, as the HTML standard says."""


def read_html(source: SourceDocument) -> ParsedDocument:
    """Return the visible text of a page with its headings and tables.

    Raises:
        UnreadableDocumentError: no encoding fits.
    """
    found = DECLARED.search(source.data[:HEAD_BYTES])
    declared = found.group(1).decode("ascii") if found else ""
    text, notes = decode_or_guess(source.data, source.media_type, declared)
    return replace(visible_document(text), notes=notes)
