"""CSV and its relatives: one table."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from typing import Any

from bakeoff.knowledge.composing import Composer
from bakeoff.knowledge.formats.sheets import add_table
from bakeoff.knowledge.parsing import (
    ParsedDocument,
    SourceDocument,
    UnreadableDocumentError,
    decode_or_guess,
    media_type_of,
)

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_ROWS = 20
MOST_ROWS_TOLD = 5


def read_delimited(
    source: SourceDocument, *, delimiter: str = "", quote: str = '"', header: bool = True, named: bool = True
) -> ParsedDocument:
    """Return the rows of a table whose cells are apart by a character. Rows count from 0, without the header.

    Args:
        source: The file; rows of another length than the first are read and noted.
        delimiter: One character; empty means whichever of comma, semicolon, tab and bar divides the first rows best.
        quote: What stands around a cell that holds the delimiter or line ends; empty means nothing does.
        header: Whether the first row names the columns.
        named: Whether each cell stands behind its column's name, so that every row says what it is.

    Raises:
        UnreadableDocumentError: no encoding fits, or a quote is not closed; names the line.
    """
    text, notes = decode_or_guess(source.data, source.media_type)
    if media_type_of(source.media_type) == "text/tab-separated-values":
        delimiter = delimiter or "\t"
    composer = Composer()
    composer.notes.extend(notes)
    rows = _Rows(text, delimiter or _delimiter(text, quote), quote)
    add_table(composer, iter(rows), table_id="", header=header, named=named)
    if rows.ragged:
        told = ", ".join(f"{line} ({cells})" for line, cells in rows.ragged[:MOST_ROWS_TOLD])
        more = f" and {len(rows.ragged) - MOST_ROWS_TOLD} more" if len(rows.ragged) > MOST_ROWS_TOLD else ""
        composer.notes.append(
            f"the first row has {rows.width} cells; those that end on these lines have not: {told}{more}"
        )
    return composer.parsed()


class _Rows:
    """The rows of a text; those of another length than the first are remembered."""

    def __init__(self, text: str, delimiter: str, quote: str) -> None:
        # The module's own limit is 131,072 characters a cell. It holds for the whole process, and harms nobody.
        csv.field_size_limit(sys.maxsize)
        self._text = text
        self._reader = _reader(text, delimiter, quote, strict=True)
        self.width = 0
        self.ragged: list[tuple[int, int]] = []

    def __iter__(self) -> Iterator[list[str]]:
        begun = 1
        try:
            for row in self._reader:
                self.width = self.width or len(row)
                if row and len(row) != self.width:
                    self.ragged.append((self._reader.line_num, len(row)))
                yield row
                begun = self._reader.line_num + 1
        except csv.Error as error:
            raise UnreadableDocumentError(
                f"the row that begins on line {begun} cannot be read: a quote is not closed, or something stands "
                f"behind one ({error}); with quote='' quotes are characters like any other"
            ) from error


def _reader(text: str, delimiter: str, quote: str, *, strict: bool) -> Any:  # the class of readers has no public name
    file = io.StringIO(text, newline="")
    if not quote:
        return csv.reader(file, delimiter=delimiter, quoting=csv.QUOTE_NONE, quotechar=None, strict=strict)
    return csv.reader(file, delimiter=delimiter, quotechar=quote, strict=strict)


def _delimiter(text: str, quote: str) -> str:
    """Return the delimiter that divides most of the first rows into the same number of cells, the more the better."""
    csv.field_size_limit(sys.maxsize)
    best, most = DELIMITERS[0], (0, 0)
    for delimiter in DELIMITERS:
        lengths = []
        for row in _reader(text, delimiter, quote, strict=False):
            if row:
                lengths.append(len(row))
            if len(lengths) == SAMPLE_ROWS:
                break
        if lengths and lengths[0] > 1:
            found = (sum(length == lengths[0] for length in lengths), lengths[0])
            if found > most:
                best, most = delimiter, found
    return best
