"""One row of a file, whatever the format: named values, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.source_files import SourceFile

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """One row and where it stands."""

    file: SourceFile
    number: int
    """From 1; a header is no row."""
    line: int | None
    """Line of the file on which it begins, from 1; None in files without lines."""
    values: Mapping[str, object]
    """JSON values by column; numbers with a decimal point are NumberText, what is absent or NaN is None."""
    mended: bool = False
    """Whether a line end without quotes had torn it apart."""

    def violation(self, column: str, problem: str) -> Violation:
        """Return the violation that names the file, the row and the column."""
        where = f"row {self.number}" + (f", {column}" if column else "")
        return Violation(where, problem, self.file.shown, self.line)

    def fault(self, column: str, problem: str) -> InvalidInputError:
        """Return the error for one thing that is wrong with the row."""
        return InvalidInputError(f"{self.file.name} cannot be read", [self.violation(column, problem)])

    def plain(self) -> Mapping[str, object]:
        """Return the values with the numbers that have a decimal point as texts like any other."""
        return {name: plain_texts(value) for name, value in self.values.items()}

    def convert(self, kind: type[T]) -> T:
        """Return the row as a typed record; a number with a decimal point may stand where a text belongs.

        Args:
            kind: A `msgspec.Struct`.

        Raises:
            InvalidInputError: it is no such record; says what is wrong and where.
        """
        try:
            return msgspec.convert(plain_texts(self.values), type=kind)
        except msgspec.ValidationError as error:
            raise self.fault("", str(error)) from error


class NumberText(str):
    """A number as its file spells it: 0.10 stays `0.10`, and still is known to be no text."""

    __slots__ = ()


def plain_texts(value: object) -> object:
    """Return a JSON value whose numbers with a decimal point are texts like any other."""
    if isinstance(value, NumberText):
        return str(value)
    if isinstance(value, list):
        return [plain_texts(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain_texts(item) for key, item in value.items()}
    return value
