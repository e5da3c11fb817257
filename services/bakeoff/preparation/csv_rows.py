"""Rows of CSV: every value is the text that stands there, and a row of another length is refused."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import TextIO

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.row import Row
from bakeoff.preparation.source_files import SourceFile

LONGEST_VALUE = 1 << 30  # Python's own limit of 131,072 characters is less than a long article
RAGGED_SHOWN = 50
WORDS = {"unexpected end of data": "a quote that is opened on this line is not closed"}
"""What the library says, where that does not tell what to look for."""


def read_csv(file: SourceFile, delimiter: str, columns: Sequence[str] = (), *, mend: bool = False) -> Iterator[Row]:
    """Yield the rows of a file; lines without anything on them are passed over.

    Args:
        file: UTF-8, with or without byte order mark.
        delimiter: One character.
        columns: Names of the columns when the file has no header.
        mend: Whether two rows that follow each other and are too short, but together are one row that a line end in a
            value tore apart, are put together.

    Raises:
        InvalidInputError: it is no UTF-8 or no CSV, a column's name is there twice, or rows have more or fewer values
            than there are columns; those are told together, after the others were yielded.
    """
    csv.field_size_limit(LONGEST_VALUE)  # one for the whole process; nobody needs a smaller one
    ragged: list[Violation] = []
    with file.path.open(encoding="utf-8-sig", newline="") as opened:
        names = list(columns)
        number = 0
        for line, values, mended in _mended(_records(file, opened, delimiter), names, mend=mend):
            if not names:
                names = _header(file, values, line)
                continue
            number += 1
            row = Row(file, number, line, dict(zip(names, values, strict=False)), mended)
            if len(values) == len(names):
                yield row
            else:
                problem = f"has {len(values)} values, but there are {len(names)} columns"
                ragged.append(row.violation("", problem))
    if ragged:
        more = f" (the first {RAGGED_SHOWN} of them)" if len(ragged) > RAGGED_SHOWN else ""
        message = f"{file.name} has {len(ragged):,} rows of another length than its header{more}"
        raise InvalidInputError(message, ragged[:RAGGED_SHOWN])


def _mended(
    records: Iterator[tuple[int, list[str]]], names: Sequence[str], *, mend: bool
) -> Iterator[tuple[int, list[str], bool]]:
    """Yield each record with whether it was put together; what does not fit together stays as it is."""
    width = len(names)
    torn: tuple[int, list[str]] | None = None
    for line, values in records:
        width = width or len(values)
        if torn is not None:
            before, torn = torn, None
            if len(before[1]) + len(values) - 1 == width:
                yield before[0], [*before[1][:-1], f"{before[1][-1]}\n{values[0]}".strip(), *values[1:]], True
                continue
            yield *before, False
        if mend and len(values) < width:
            torn = (line, values)
        else:
            yield line, values, False
    if torn is not None:
        yield *torn, False


def _records(file: SourceFile, opened: TextIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record that is not blank, and the line on which it begins."""
    reader = csv.reader(opened, delimiter=delimiter, strict=True)
    line = 1
    try:
        for values in reader:
            if values:
                yield line, values
            line = reader.line_num + 1
    except csv.Error as error:
        raise _broken(file, WORDS.get(str(error), str(error)), line) from error
    except UnicodeDecodeError:
        raise _no_utf8(file) from None


def _no_utf8(file: SourceFile) -> InvalidInputError:
    """Return the error with the line of the first wrong byte: the file is decoded in pieces, far ahead of its rows."""
    with file.path.open("rb") as lines:
        for line, data in enumerate(lines, start=1):
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as error:
                shown = f"0x{data[error.start]:02x}, byte {error.start + 1} of the line,"
                return _broken(file, f"{shown} is no UTF-8; save the file as UTF-8", line)
    return _broken(file, "is no UTF-8: it has changed while it was read", 1)


def _header(file: SourceFile, names: list[str], line: int) -> list[str]:
    twice = sorted({name for name in names if names.count(name) > 1 and name})
    if twice:
        raise _broken(file, f"the header has {', '.join(map(repr, twice))} twice", line)
    return names


def _broken(file: SourceFile, problem: str, line: int) -> InvalidInputError:
    return InvalidInputError(f"{file.name} cannot be read", [Violation("", problem, file.shown, line)])
