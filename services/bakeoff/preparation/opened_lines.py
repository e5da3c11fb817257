"""Lines of a file that may be compressed: bzip2 and gzip are told by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.records import BOM, fault

LONGEST_LINE = 256 << 20
"""Bytes of a line that is still read: fifty web pages in one line of CRAG come to some 20 MB, a bomb to far more."""


def opened_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank with its number, from 1; without byte order mark and line end.

    Raises:
        InvalidInputError: the file is damaged, or a line is too long.
    """
    with _opened(path) as file:
        number = 0
        try:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise fault(path, number, "", f"has more than {LONGEST_LINE:,} bytes")
                body = (line.removeprefix(BOM) if number == 1 else line).rstrip(b"\r\n")
                if body.strip():
                    yield number, body
        except (OSError, EOFError, zlib.error) as error:
            raise InvalidInputError(f"{str(path)!r} is damaged after line {number}: {error}") from error


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        head = file.read(3)
    if head == b"BZh":
        return cast(IO[bytes], bz2.open(path, "rb"))
    if head[:2] == b"\x1f\x8b":
        return cast(IO[bytes], gzip.open(path, "rb"))
    return path.open("rb")
