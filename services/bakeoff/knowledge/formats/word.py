"""DOCX: paragraphs, headings and tables in their order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from bakeoff.knowledge.composing import Composer, Row
from bakeoff.knowledge.formats.packed import opened
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.structure import HEADER

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
BREAKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}


def read_docx(source: SourceDocument) -> ParsedDocument:
    """Return the text of a DOCX: its body, without headers, footers, notes and what was deleted.

    Where pages end is not in such a file: it depends on who prints it.

    Raises:
        UnreadableDocumentError: it is damaged or something else.
    """
    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import LxmlError

    file = opened(source.data, "DOCX", "word/document.xml")
    try:
        document = docx.Document(file)
        levels = _levels(document.styles.element)
    except (OpcError, LxmlError, BadZipFile, KeyError, ValueError, AttributeError) as error:
        raise UnreadableDocumentError(f"the DOCX is damaged: {error}") from error
    composer = Composer()
    for block in _blocks(document.element.body):
        if block.tag == f"{W}tbl":
            rows = _rows(block)
            has_header = rows and _is_header(block)
            composer.table(rows, names=rows[0][1] if has_header else ())
        elif level := _level(block, levels):
            composer.heading(_text(block), level)
        else:
            composer.block(_text(block))
    return composer.parsed()


def _blocks(parent: Element) -> Iterator[Element]:
    """Yield paragraphs and tables, also those within content controls."""
    for child in parent:
        if child.tag in (f"{W}p", f"{W}tbl"):
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"):
            yield from _blocks(child)


def _text(element: Element) -> str:
    """Return the text of a paragraph or cell; what is deleted has other tags."""
    parts: list[str] = []
    stack = [element]
    while stack:
        node = stack.pop()
        if node.tag == f"{W}t":
            parts.append(node.text or "")
        elif node.tag in BREAKS:
            parts.append(BREAKS[node.tag])
        elif node.tag != FALLBACK and node.tag != f"{W}pPr":  # a fallback says its alternative again
            if node.tag == f"{W}p" and parts:
                parts.append("\n")
            stack.extend(reversed(node))
    return "".join(parts)


def _rows(table: Element) -> list[Row]:
    rows = [[cell for one in _children(row, "tc") for cell in _cells(one)] for row in _children(table, "tr")]
    first = HEADER if rows and _is_header(table) else 0
    return [(number, row) for number, row in enumerate(rows, start=first)]


def _children(parent: Element, name: str) -> Iterator[Element]:
    for child in parent:
        if child.tag == f"{W}{name}":
            yield child
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"):
            yield from _children(child, name)


def _cells(cell: Element) -> list[str]:
    """Return a cell's text, and a blank for each further column that it spans."""
    span = cell.find(f"{W}tcPr/{W}gridSpan")
    width = span.get(f"{W}val", "1") if span is not None else "1"
    return [_text(cell), *[""] * (min(int(width), 1000) - 1 if width.isdigit() else 0)]


def _is_header(table: Element) -> bool:
    """Return whether a table says that its first row names the columns."""
    row = next(_children(table, "tr"))
    if row.find(f"{W}trPr/{W}tblHeader") is not None:
        return True
    look = table.find(f"{W}tblPr/{W}tblLook")
    if look is None:
        return False
    said = look.get(f"{W}firstRow")
    bits = look.get(f"{W}val", "0")
    return said in ("1", "true") if said else bool(int(bits, 16) & 0x20 if re.fullmatch("[0-9A-Fa-f]+", bits) else 0)


def _levels(styles: Element) -> dict[str, int]:
    """Return the heading level of each style that has one, its title's being 1."""
    levels = {}
    for style in styles.iter(f"{W}style"):
        name = style.find(f"{W}name")
        said = name.get(f"{W}val", "") if name is not None else ""
        match = HEADING.fullmatch(said)
        if match or said.lower() == "title":
            levels[style.get(f"{W}styleId", "")] = int(match.group(1)) if match else 1
    return levels


def _level(paragraph: Element, levels: dict[str, int]) -> int:
    """Return a paragraph's heading level, 0 when it is none."""
    outline = paragraph.find(f"{W}pPr/{W}outlineLvl")
    if outline is not None and outline.get(f"{W}val", "") in set("012345678"):
        return int(outline.get(f"{W}val", "0")) + 1
    style = paragraph.find(f"{W}pPr/{W}pStyle")
    return levels.get(style.get(f"{W}val", ""), 0) if style is not None else 0
