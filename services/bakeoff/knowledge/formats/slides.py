"""PPTX: a slide is a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from bakeoff.knowledge.composing import Composer, Row
from bakeoff.knowledge.formats.packed import opened
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError
from bakeoff.knowledge.structure import HEADER

if TYPE_CHECKING:
    from pptx.table import Table


def read_pptx(source: SourceDocument, *, speaker_notes: bool = True) -> ParsedDocument:
    """Return the text of the slides, each a page: its title as a heading, then its shapes in their order.

    Args:
        source: The file.
        speaker_notes: Whether a slide's notes stand behind its text.

    Raises:
        UnreadableDocumentError: it is damaged or something else.
    """
    import pptx
    from lxml.etree import LxmlError
    from pptx.exc import PythonPptxError

    file = opened(source.data, "PPTX", "ppt/presentation.xml")
    composer = Composer()
    try:
        for slide in pptx.Presentation(file).slides:
            composer.begin_page()
            title = slide.shapes.title
            for shape in _shapes(slide.shapes):
                if title is not None and shape.shape_id == title.shape_id:
                    composer.heading(shape.text_frame.text, 1)
                elif shape.has_text_frame:
                    composer.block(shape.text_frame.text.replace("\v", "\n"))
                elif getattr(shape, "has_table", False):
                    names = [cell.text for cell in shape.table.rows[0].cells] if shape.table.first_row else []
                    composer.table(_rows(shape.table), names=names)
            if speaker_notes and slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
                composer.block(slide.notes_slide.notes_text_frame.text)
            composer.end_page()
    except (PythonPptxError, LxmlError, BadZipFile, KeyError, ValueError, AttributeError, IndexError) as error:
        raise UnreadableDocumentError(f"the PPTX is damaged: {error}") from error
    return composer.parsed()


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield shapes, also those within groups."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _rows(table: Table) -> Iterator[Row]:
    first = HEADER if table.first_row else 0
    for number, row in enumerate(table.rows, start=first):
        yield number, [cell.text for cell in row.cells]
