"""Parser: whichever fits the document's media type."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain import media_types
from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.parsers import html, markdown, record, text
from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument, UnreadableDocumentError, media_type_of
from bakeoff.knowledge.registries import parsers
from bakeoff.runtime.registry import Is

# Another version of a parser that is chosen here is another version of the choice.
VERSION = f"1+html-{html.VERSION}+markdown-{markdown.VERSION}+record-{record.VERSION}+text-{text.VERSION}"
LIBRARIES = sorted({*html.LIBRARIES, *markdown.LIBRARIES, *record.LIBRARIES})

BY_TYPE = {
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/html": "html",
    "application/xhtml+xml": "html",
    media_types.RECORD: "record",
    "application/json": "text",
    "application/x-ndjson": "text",
    "application/xml": "text",
    "application/yaml": "text",
}


@parsers.register("auto", version=VERSION, facts={"libraries": LIBRARIES})
def auto(
    *, title_separator: Annotated[str, Is("what stands between the title and the text of a record")] = " "
) -> Parser:
    """Choose the parser by the document's media type; any other `text/…` is plain text."""
    known = {name: parsers.make(ComponentSpec(name)) for name in ("html", "markdown", "text")}
    known["record"] = parsers.make(ComponentSpec("record", {"title_separator": title_separator}))

    def parse(source: SourceDocument) -> ParsedDocument:
        media_type = media_type_of(source.media_type)
        name = BY_TYPE.get(media_type) or ("text" if media_type.startswith("text/") else None)
        if name is None:
            raise UnreadableDocumentError(
                f"no parser is known for the media type {source.media_type!r}; known: text/*, {', '.join(BY_TYPE)}"
            )
        return known[name](source)

    return parse
