"""Rows of JSON: a row a line, or one document that holds them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.row import NumberText, Row
from bakeoff.preparation.source_files import SourceFile

ROWS = ("data", "Data", "queries", "rows")
"""Where a document keeps its rows: SQuAD and its kin, TriviaQA, samples with a heading, the datasets server."""


def read_json_lines(file: SourceFile) -> Iterator[Row]:
    """Yield a row for each line of a file; blank lines are passed over.

    Raises:
        InvalidInputError: a line is no UTF-8, or no JSON object.
    """
    number = 0
    with file.path.open("rb") as lines:
        # Binary files are cut at \n alone: U+2028, U+0085 and form feeds inside a string are no line ends.
        for line, data in enumerate(lines, start=1):
            text = _text(file, data, line).strip()
            if text:
                number += 1
                yield _row(file, _decode(file, text, line), number, line)


def decoded_row(file: SourceFile, data: bytes, number: int, line: int) -> Row:
    """Return the row that a line holds.

    Raises:
        InvalidInputError: it is no UTF-8, or no JSON object.
    """
    return _row(file, _decode(file, _text(file, data, line).strip(), line), number, line)


def read_json(file: SourceFile) -> Iterator[Row]:
    """Yield the rows of one JSON document: a list of them, a mapping that holds such a list, or one row.

    What is no single document but has an object on each line is read so, whatever the ending of its name.

    Raises:
        InvalidInputError: it is no UTF-8, no JSON, or a row is no object.
    """
    text = _text(file, file.path.read_bytes(), None)
    try:
        document = _DECODER.decode(text.strip())
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and error.lineno > 1:
            yield from read_json_lines(file)
            return
        raise _broken(file, error.msg, error.lineno) from error
    rows = document if isinstance(document, list) else _rows_of(document)
    for number, row in enumerate(rows, start=1):
        yield _row(file, row, number, None)


def _rows_of(document: object) -> list[object]:
    if isinstance(document, Mapping):
        for name in ROWS:
            rows = document.get(name)
            if isinstance(rows, list):
                return rows
    return [document]


def _text(file: SourceFile, data: bytes, line: int | None) -> str:
    try:
        return data.decode("utf-8-sig")  # a byte order mark may stand before the first line
    except UnicodeDecodeError as error:
        raise _broken(file, f"is no UTF-8: {error.reason} at byte {error.start}", line) from error


def _decode(file: SourceFile, text: str, line: int) -> object:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _broken(file, f"is no JSON: {error.msg} at character {error.colno}", line) from error


def _row(file: SourceFile, values: object, number: int, line: int | None) -> Row:
    if not isinstance(values, Mapping):
        problem = f"row {number} must be an object, not {type(values).__name__} {str(values)[:60]!r}"
        raise _broken(file, problem, line)
    return Row(file, number, line, values)


def _broken(file: SourceFile, problem: str, line: int | None) -> InvalidInputError:
    return InvalidInputError(f"{file.name} cannot be read", [Violation("", problem, file.shown, line)])


_DECODER = json.JSONDecoder(
    parse_float=NumberText,
    parse_constant=lambda name: None if name == "NaN" else NumberText(name),  # NaN is how pandas writes "nothing"
)
