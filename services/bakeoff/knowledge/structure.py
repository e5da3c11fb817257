"""What is known of a parsed document beside its text: pages, headings, tables, each as places in the text."""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.domain.answer import Span

HEADER = -1
"""Number of a row that names the columns."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, whose section reaches to the next one of its level or above."""

    start: int
    """First character of the heading."""
    level: int
    """From 1, the outermost."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table."""

    number: int
    """From 0, counted as in the document, blank rows too; HEADER for the row that names the columns."""
    start: int
    stop: int
    cells: tuple[int, ...]
    """Where the row's cells start, in order; as many as the row has."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is written row by row."""

    table_id: str
    """Unique in the document: the name of a sheet, else the number of the table from 0."""
    columns: tuple[str, ...]
    """Names of the columns; empty when none is known."""
    rows: tuple[TableRow, ...]
    """In the order of the text and without overlap; never empty."""

    @property
    def span(self) -> Span:
        """Characters from the first row to the last."""
        return Span(self.rows[0].start, self.rows[-1].stop)
