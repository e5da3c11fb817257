"""Parser: whichever fits what the document is."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain import media_types
from bakeoff.domain.component import ComponentSpec
from bakeoff.knowledge.parser_pool import CPU_S, MEMORY_MB, CpuLimit, MemoryLimit
from bakeoff.knowledge.parsers import csv, docx, html, json_lines, mail, markdown, pdf, pptx, record, text, xlsx
from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument, UnreadableDocumentError, media_type_of
from bakeoff.knowledge.registries import parsers
from bakeoff.runtime.registry import Is

CHOICE = {
    "csv": csv,
    "docx": docx,
    "html": html,
    "json_lines": json_lines,
    "mail": mail,
    "markdown": markdown,
    "pdf": pdf,
    "pptx": pptx,
    "record": record,
    "text": text,
    "xlsx": xlsx,
}
UNLIMITED = ("record", "text")
"""Parsers that nothing can hold up."""
# Another version of a parser that is chosen here is another version of the choice.
VERSION = "2" + "".join(f"+{name}-{module.VERSION}" for name, module in CHOICE.items())
LIBRARIES = sorted({library for module in CHOICE.values() for library in getattr(module, "LIBRARIES", ())})

BY_TYPE = {
    media_types.PDF: "pdf",
    media_types.DOCX: "docx",
    media_types.PPTX: "pptx",
    media_types.XLSX: "xlsx",
    media_types.MAIL: "mail",
    media_types.RECORD: "record",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/x-ndjson": "json_lines",
    "application/jsonl": "json_lines",
    "application/json": "text",
    "application/xml": "text",
    "application/yaml": "text",
}
WHAT = {
    "application/x-ole-storage": "an old Office file, or an encrypted one",
    "application/zip": "an archive",
    media_types.OCTETS: "no text",
}
"""What a type is in words, where its name does not say it."""
NO_TEXT = frozenset((media_types.PDF, media_types.DOCX, media_types.PPTX, media_types.XLSX))
"""Types whose content never is text."""


@parsers.register("auto", version=VERSION, facts={"libraries": LIBRARIES})
def auto(
    *,
    title_separator: Annotated[str, Is("what stands between the title and the text of a record")] = " ",
    cpu_limit_s: CpuLimit = CPU_S,
    memory_limit_mb: MemoryLimit = MEMORY_MB,
) -> Parser:
    """Choose the parser by what the document's bytes are, then by its media type; other text is plain text."""
    limits = {"cpu_limit_s": cpu_limit_s, "memory_limit_mb": memory_limit_mb}
    known = {name: parsers.make(ComponentSpec(name, limits)) for name in CHOICE if name not in UNLIMITED}
    known["text"] = parsers.make(ComponentSpec("text"))
    known["record"] = parsers.make(ComponentSpec("record", {"title_separator": title_separator}))

    def parse(source: SourceDocument) -> ParsedDocument:
        if not source.data:
            return ParsedDocument("")
        media_type = believed(source)
        name = BY_TYPE.get(media_type) or ("text" if media_type.startswith("text/") else None)
        if name is None:
            what = f", {WHAT[media_type]}" if media_type in WHAT else ""
            raise UnreadableDocumentError(
                f"no parser is known for the media type {media_type!r}{what}; auto reads {', '.join(CHOICE)}"
            )
        return known[name](source)

    return parse


def believed(source: SourceDocument) -> str:
    """Return the media type that a document's bytes show, else the one that is stated."""
    stated = media_type_of(source.media_type)
    if stated == media_types.RECORD:  # made by an adapter, and one of a million
        return stated
    shown = media_types.sniff(source.data, "")
    if shown == "text/plain":
        unfit = stated in NO_TEXT or stated in ("", media_types.OCTETS)
        return media_types.sniff(source.data, source.name) if unfit else stated
    if shown == media_types.OCTETS and stated.startswith("text/"):  # in an encoding that looks like anything
        return stated
    if shown == media_types.MAIL and stated.startswith("text/") and stated != "text/plain":
        return stated
    return media_types.sniff(source.data, source.name)
