"""Rows of an XLSX workbook's first sheet: every value as the text that stands for it."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.row import Row
from bakeoff.preparation.source_files import SourceFile

MAX_BYTES = 512 << 20
"""What a workbook may unpack to: a hundred thousand long questions take a tenth of it, a bomb far more."""


def read_xlsx(file: SourceFile) -> Iterator[Row]:
    """Yield the rows of the first sheet that has any; its first row names the columns, blank rows are passed over.

    Formulas count as the value that was last computed.

    Raises:
        InvalidInputError: it is no workbook, unpacks to too much, or a column's name is there twice.
    """
    import openpyxl  # some 100 ms, and few benchmarks are workbooks
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with zipfile.ZipFile(file.path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > MAX_BYTES:
            raise _broken(file, f"unpacks to {size:,} bytes; at most {MAX_BYTES:,} are read")
        book = openpyxl.load_workbook(file.path, read_only=True, data_only=True)
    except (zipfile.BadZipFile, InvalidFileException, KeyError, ValueError, EOFError) as error:
        raise _broken(file, f"is no XLSX workbook: {error}") from error
    try:
        yield from _rows(file, book)
    except (zipfile.BadZipFile, SyntaxError, KeyError, ValueError, TypeError, EOFError) as error:  # found row by row
        raise _broken(file, f"is damaged: {error}") from error
    finally:
        book.close()


def _rows(file: SourceFile, book: object) -> Iterator[Row]:
    for sheet in book.worksheets:  # type: ignore[attr-defined]  # openpyxl has no types
        names: list[str] = []
        number = 0
        for line, values in enumerate(sheet.iter_rows(values_only=True), start=1):
            texts = [_text(value) for value in values]
            if not any(texts):
                continue
            if not names:
                names = _header(file, texts)
                continue
            number += 1
            beyond = [text for text in texts[len(names) :] if text]
            row = Row(file, number, line, {name: text for name, text in zip(names, texts, strict=False) if name})
            if beyond:
                raise row.fault("", f"has {beyond[0]!r} beyond the last column {names[-1]!r}")
            yield row
        if number:
            return


def _header(file: SourceFile, texts: list[str | None]) -> list[str]:
    names = [text or "" for text in texts]
    while names and not names[-1]:
        names.pop()
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise _broken(file, f"the first row has {', '.join(map(repr, twice))} twice")
    return names


def _text(value: object) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def _broken(file: SourceFile, problem: str) -> InvalidInputError:
    return InvalidInputError(f"{file.name} cannot be read", [Violation("", problem, file.shown)])
