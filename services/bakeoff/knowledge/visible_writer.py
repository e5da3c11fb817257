"""Writing text as a browser shows white space, and noting where headings and tables are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.structure import HEADER, Heading, Table, TableRow

SPACE = re.compile(r"[^\S\n]+")
AROUND_LINE = re.compile(r" ?\n ?")
MANY_LINES = re.compile(r"\n{3,}")


@dataclass(slots=True)
class _Row:
    first: int
    """Number of texts that were written before it."""
    start: int = -1
    stop: int = -1
    cells: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    names: bool = True
    """Whether all its cells so far name columns."""


@dataclass(slots=True)
class _Table:
    number: int
    rows: list[_Row] = field(default_factory=list)
    row: _Row | None = None


class VisibleWriter:
    """Collects text: runs of space become one, lines have none at their ends, and at most one empty line stays."""

    def __init__(self) -> None:
        """Begin with an empty text."""
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._length = 0
        self._lines = 0
        self._space = False
        self._heading = 0
        self._headings: list[Heading] = []
        self._open: list[_Table] = []
        self._tables: list[_Table] = []
        self._cell_parts = 0

    def write(self, text: str) -> None:
        """Add text; white space at its end waits for what follows."""
        text = MANY_LINES.sub("\n\n", AROUND_LINE.sub("\n", SPACE.sub(" ", text)))
        core = text.strip()
        if not core:
            self._wait(text)
            return
        begin = text.index(core[0])
        self._wait(text[:begin])
        between = "" if not self._length else "\n" * min(self._lines, 2) if self._lines else " " * self._space
        self._parts += (between, core)
        start = self._length + len(between)
        self._starts.append(start)
        self._length = start + len(core)
        self._lines, self._space = 0, False
        self._wait(text[begin + len(core) :])
        if self._heading:
            self._headings.append(Heading(start, self._heading))
            self._heading = 0

    def heading(self, level: int) -> None:
        """Note that what is written next is a heading of some level; 0 means that it is none."""
        self._heading = level

    def begin_table(self) -> None:
        """Begin a table, perhaps within a cell of another one."""
        self._open.append(_Table(len(self._tables)))
        self._tables.append(self._open[-1])

    def begin_row(self) -> None:
        """Begin a row of the innermost table."""
        if self._open:
            self._open[-1].row = _Row(len(self._starts))

    def begin_cell(self, *, names: bool, span: int) -> None:
        """Begin a cell.

        Args:
            names: Whether it names a column or row.
            span: Columns that it spans, from 1.
        """
        row = self._open[-1].row if self._open else None
        if row is not None:
            row.cells += [self._length] * span
            row.texts += [""] * span
            row.names = row.names and names
            self._cell_parts = len(self._parts)

    def end_cell(self) -> None:
        """End a cell."""
        row = self._open[-1].row if self._open else None
        if row is not None and row.texts and row.names:
            row.texts[-1] = " ".join("".join(self._parts[self._cell_parts :]).split())

    def end_row(self) -> None:
        """End a row."""
        table = self._open[-1] if self._open else None
        row = table.row if table is not None else None
        if table is None or row is None:
            return
        if len(self._starts) > row.first:
            row.start, row.stop = self._starts[row.first], self._length
        table.rows.append(row)
        table.row = None

    def end_table(self) -> None:
        """End a table."""
        self._open.pop()

    def document(self) -> ParsedDocument:
        """Return what was written."""
        tables = tuple(table for table in map(_finished, self._tables) if table is not None)
        return ParsedDocument("".join(self._parts), headings=tuple(self._headings), tables=tables)

    def _wait(self, space: str) -> None:
        self._lines += space.count("\n")
        self._space = self._space or bool(space)


def _finished(table: _Table) -> Table | None:
    """Return a table, its first row naming the columns when all of its cells are of that kind; None without text."""
    rows = table.rows
    first = HEADER if rows and rows[0].cells and rows[0].names else 0
    placed = tuple(
        TableRow(number, row.start, row.stop, tuple(min(max(cell, row.start), row.stop) for cell in row.cells))
        for number, row in enumerate(rows, start=first)
        if row.start >= 0
    )
    columns = tuple(rows[0].texts) if first == HEADER else ()
    return Table(str(table.number), columns, placed) if placed else None
