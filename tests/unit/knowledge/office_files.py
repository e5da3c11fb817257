"""Office files made for tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

import docx
import openpyxl
import pptx
from pptx.util import Inches


def a_docx(*blocks: str | Sequence[Sequence[str]]) -> bytes:
    """Make a DOCX: a text that begins with `#` is a heading of that level, one of rows is a table with a header."""
    document = docx.Document()
    for block in blocks:
        if isinstance(block, str):
            level = len(block) - len(block.lstrip("#"))
            document.add_heading(block[level:].strip(), level) if level else document.add_paragraph(block)
        else:
            table = document.add_table(len(block), len(block[0]))
            table.style = "Table Grid"
            for row, cells in zip(table.rows, block, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
    return _saved(document)


def a_pptx(*slides: tuple[str, str, str], table: Sequence[Sequence[str]] = ()) -> bytes:
    """Make a PPTX of slides with a title, a text and speaker notes; the table is on the last one."""
    deck = pptx.Presentation()
    for title, text, notes in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    if table:
        place = (Inches(1), Inches(1), Inches(4), Inches(1))
        shape = deck.slides[-1].shapes.add_table(len(table), len(table[0]), *place)
        for row, cells in zip(shape.table.rows, table, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    return _saved(deck)


def an_xlsx(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """Make an XLSX of sheets with rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return _saved(book)


def an_archive(parts: Mapping[str, bytes]) -> bytes:
    """Make a ZIP archive of parts by name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return file.getvalue()


def with_part(data: bytes, name: str, part: bytes) -> bytes:
    """Return an archive with one part set anew."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    return an_archive({**parts, name: part})


def _saved(document: object) -> bytes:
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined]  # all three libraries have it
    return file.getvalue()
