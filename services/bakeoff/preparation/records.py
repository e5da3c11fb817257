"""Files of one JSON object a line: each with its line number and its bytes, decoded into a typed record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from bakeoff.domain.benchmark import ByteSpan
from bakeoff.domain.errors import InvalidInputError, Violation

T = TypeVar("T")
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Record(Generic[T]):
    """One record and where it stands."""

    value: T
    line: int
    """From 1; blank lines count."""
    span: ByteSpan
    """Its bytes in the file, without byte order mark and line end."""


def read_records(path: Path, kind: type[T]) -> Iterator[Record[T]]:
    """Yield the records of a file, one in memory at a time. Blank lines are passed over.

    Args:
        path: UTF-8, with or without byte order mark.
        kind: What each line must be, such as a `msgspec.Struct`.

    Raises:
        InvalidInputError: a line is no such record; names file and line, and says what is wrong.
    """
    decode = msgspec.json.Decoder(kind).decode
    start = 0
    with path.open("rb") as file:
        # Binary files are cut at \n alone: U+2028, U+0085 and form feeds inside a string are no line ends.
        for number, line in enumerate(file, start=1):
            body = line.rstrip(b"\r\n")
            skipped = len(BOM) if number == 1 and body.startswith(BOM) else 0
            body = body[skipped:]
            if body.strip():
                first = start + skipped
                try:
                    value = decode(body)
                except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                    raise fault(path, number, "", str(error)) from error
                yield Record(value, number, ByteSpan(first, first + len(body)))
            start += len(line)


def fault(path: Path, line: int | None, field: str, problem: str) -> InvalidInputError:
    """Return the error for one thing that is wrong in a file."""
    return InvalidInputError(f"{path.name} cannot be read", [Violation(field, problem, str(path), line)])


def line_of(path: Path, offset: int) -> int:
    """Return the line, from 1, on which a byte of a file stands. Reads the file up to there: for messages only."""
    line, left = 1, offset
    with path.open("rb") as file:
        while left > 0 and (piece := file.read(min(left, 1 << 20))):
            line += piece.count(b"\n")
            left -= len(piece)
    return line
