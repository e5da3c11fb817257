"""Putting a parsed document together block by block, so that every place is known as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bakeoff.domain.answer import Span
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.structure import HEADER, Heading, Table, TableRow

BETWEEN_BLOCKS = "\n\n"
BETWEEN_CELLS = " | "
BETWEEN_NAMED_CELLS = "; "
SPACE = re.compile(r"\s+")

Row = tuple[int, Sequence[str]]
"""Number from 0, or HEADER, and cells."""


class Composer:
    """Collects blocks of text, an empty line apart, with pages, headings and tables."""

    def __init__(self) -> None:
        """Begin with an empty text."""
        self._parts: list[str] = []
        self._length = 0
        self._pages: list[Span] = []
        self._page_start = 0
        self._headings: list[Heading] = []
        self._tables: list[Table] = []
        self.notes: list[str] = []

    def block(self, text: str) -> None:
        """Add a paragraph; one of white space is left out."""
        text = text.strip()
        if text:
            self._open()
            self._add(text)

    def heading(self, text: str, level: int) -> None:
        """Add a heading; one of white space is left out."""
        text = SPACE.sub(" ", text).strip()
        if text:
            self._open()
            self._headings.append(Heading(self._length, level))
            self._add(text)

    def begin_page(self) -> None:
        """Begin a page: what is added until its end is on it."""
        self._open()
        self._page_start = self._length

    def end_page(self) -> None:
        """End a page, which may be empty."""
        self._pages.append(Span(self._page_start, self._length))

    def table(self, rows: Iterable[Row], *, table_id: str = "", names: Sequence[str] = (), named: bool = False) -> None:
        """Add a table, a row a line; one without rows is left out.

        Args:
            rows: Cells of a row are texts; white space in them becomes one space. A row of blank cells is left out.
            table_id: Empty means the number of the table.
            names: Names of the columns.
            named: Whether each cell stands behind its column's name.
        """
        names = tuple(SPACE.sub(" ", name).strip() for name in names)
        placed: list[TableRow] = []
        for number, cells in rows:
            clean = [SPACE.sub(" ", cell).strip() for cell in cells]
            if any(clean):
                self._open(BETWEEN_BLOCKS if not placed else "\n")
                placed.append(self._row(number, clean, names if named and number != HEADER else ()))
        if placed:
            self._tables.append(Table(table_id or str(len(self._tables)), names, tuple(placed)))

    def parsed(self, page_labels: Sequence[str] | None = None) -> ParsedDocument:
        """Return the document.

        Args:
            page_labels: One for each page; None when they are not known.
        """
        return ParsedDocument(
            "".join(self._parts),
            tuple(self._pages) if self._pages else None,
            tuple(page_labels) if page_labels is not None else None,
            tuple(self._headings),
            tuple(self._tables),
            tuple(self.notes),
        )

    def _row(self, number: int, cells: Sequence[str], names: Sequence[str]) -> TableRow:
        start = self._length
        starts = []
        for column, cell in enumerate(cells):
            name = names[column] if column < len(names) else ""
            if not names:
                self._add(BETWEEN_CELLS if column else "")
            elif cell and self._length > start:
                self._add(BETWEEN_NAMED_CELLS)
            starts.append(self._length)
            self._add(f"{name}: {cell}" if name and cell else cell)
        return TableRow(number, start, self._length, tuple(starts))

    def _open(self, between: str = BETWEEN_BLOCKS) -> None:
        """Set what follows apart from what is there."""
        if self._length and not (self._parts and self._parts[-1] == between):
            self._add(between)

    def _add(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
