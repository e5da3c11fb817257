"""Tables of plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from unicodedata import east_asian_width

Row = Sequence[str]
COLUMNS = 100
"""Columns of a terminal that tables try to keep within."""
INDENT = "  "


def table(header: Row, rows: Sequence[Row], numbers_from: int, numbers_to: int | None = None) -> Iterator[str]:
    """Yield the lines of an indented table, and an empty one.

    Args:
        header: A name for each column.
        rows: A cell for each column.
        numbers_from: Column, from 0, from which on cells are flushed right.
        numbers_to: Column from which on they are no longer; None for none.
    """
    widths = [max(map(width, column)) for column in zip(header, *rows, strict=True)]
    right = range(len(header))[numbers_from:numbers_to]
    rule = ["─" * each for each in widths]
    for row in (header, rule, *rows):
        cells = (_pad(cell, each, place in right) for place, (cell, each) in enumerate(zip(row, widths, strict=True)))
        yield (INDENT + "  ".join(cells)).rstrip()
    yield ""


def folded(header: Row, rows: Sequence[Row], columns: int = COLUMNS, names: int = 1) -> Iterator[str]:
    """Yield a table of numbers as several, one below the other, where it is too wide; each has the first columns.

    Args:
        header: A name for each column; the first ones name the rows.
        rows: A cell for each column.
        columns: What is too wide; a table has one column of numbers at least, however wide.
        names: Columns that name the rows, from 1.
    """
    widths = [max(map(width, column)) for column in zip(header, *rows, strict=True)]
    place = names
    while place < len(header):
        start, used = place, len(INDENT) + sum(widths[:names]) + 2 * (names - 1)
        while place < len(header) and (place == start or used + 2 + widths[place] <= columns):
            used += 2 + widths[place]
            place += 1
        yield from table(*_columns(header, rows, names, start, place), numbers_from=names)


def _columns(header: Row, rows: Sequence[Row], names: int, start: int, stop: int) -> tuple[Row, list[Row]]:
    cut: list[Row] = [[*row[:names], *row[start:stop]] for row in (header, *rows)]
    return cut[0], cut[1:]


def _pad(cell: str, columns: int, right: bool) -> str:
    space = " " * (columns - width(cell))
    return space + cell if right else cell + space


def width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    return sum(2 if east_asian_width(mark) in "WF" else 1 for mark in text)
