"""XLSX: each sheet is a table."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from bakeoff.knowledge.composing import Composer, Row
from bakeoff.knowledge.formats.packed import opened
from bakeoff.knowledge.parsing import ParsedDocument, SourceDocument, UnreadableDocumentError

if TYPE_CHECKING:
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet


def read_xlsx(source: SourceDocument, *, header: bool = True, named: bool = True) -> ParsedDocument:
    """Return the values of all sheets, row by row; a sheet's name is a heading and the id of its table.

    Values are those that were last computed. Row 0 is the one below the first row that holds anything.

    Args:
        source: The file.
        header: Whether the first row that holds anything names the columns.
        named: Whether each value stands behind its column's name, so that every row says what it is.

    Raises:
        UnreadableDocumentError: it is damaged or something else.
    """
    import openpyxl
    from lxml.etree import LxmlError
    from openpyxl.utils.exceptions import InvalidFileException

    file = opened(source.data, "XLSX", "xl/workbook.xml")
    composer = Composer()
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        for sheet in book.worksheets:
            composer.heading(sheet.title, 1)
            add_table(composer, _cells(sheet), table_id=sheet.title, header=header, named=named)
    except (InvalidFileException, LxmlError, SyntaxError, KeyError, ValueError, TypeError, BadZipFile) as error:
        raise UnreadableDocumentError(f"the XLSX is damaged: {error}") from error
    return composer.parsed()


def add_table(composer: Composer, rows: Iterator[Sequence[str]], *, table_id: str, header: bool, named: bool) -> None:
    """Add rows as a table; leading blank rows do not count.

    Args:
        composer: Where to.
        rows: Cells of each row.
        table_id: Empty means the number of the table.
        header: Whether the first row that is not blank names the columns.
        named: Whether each cell stands behind its column's name.
    """
    first = next((row for row in rows if any(cell.strip() for cell in row)), None)
    if first is None:
        return
    following: Iterator[Row]
    if not header:
        following = _numbered([first], rows)
        composer.table(following, table_id=table_id)
        return
    following = _numbered([], rows)
    if named:
        one = next(following, None)
        # Where nothing follows, the names are all there is.
        shown: Iterator[Row] = iter([(-1, first)]) if one is None else _chained(one, following)
        composer.table(shown, table_id=table_id, names=first, named=True)
    else:
        composer.table(_chained((-1, first), following), table_id=table_id, names=first)


def _numbered(before: list[Sequence[str]], rows: Iterator[Sequence[str]]) -> Iterator[Row]:
    number = 0
    for group in (before, rows):
        for row in group:
            if any(cell.strip() for cell in row):
                yield number, row
            number += 1


def _chained(one: Row, rows: Iterator[Row]) -> Iterator[Row]:
    yield one
    yield from rows


def _cells(sheet: ReadOnlyWorksheet) -> Iterator[list[str]]:
    """Yield rows without the blank cells at their ends."""
    sheet.reset_dimensions()  # what a sheet says of its size may be a billion cells more than it has
    for row in sheet.iter_rows(values_only=True):
        cells = [_shown(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        yield cells


def _shown(value: object) -> str:
    """Return a value as its reader expects it: whole numbers without a point, days without a time."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
