"""Parts of a table on local disk: written while a benchmark is read, stored once it was read to the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from bakeoff.contract import stored
from bakeoff.domain.identity import sha256_hex

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part:
    """One file that waits to be stored."""

    path: Path
    sha256: str
    size_bytes: int


def write_part(path: Path, noun: object) -> Part:
    """Write one noun, or a tuple of them, as a file."""
    data = stored.encode(noun)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return Part(path, sha256_hex(data), len(data))


class Table(Generic[T]):
    """Rows in parts of a fixed length, no more than one part in memory."""

    def __init__(self, folder: Path, rows_per_part: int) -> None:
        """Start empty, with parts as files of a folder."""
        self._folder = folder
        self._rows_per_part = rows_per_part
        self._rows: list[T] = []
        self._parts: list[Part] = []
        self.rows = 0
        """Rows so far."""

    def add(self, row: T) -> None:
        """Append a row."""
        self._rows.append(row)
        self.rows += 1
        if len(self._rows) == self._rows_per_part:
            self._flush()

    def extend(self, rows: Iterable[T]) -> None:
        """Append rows."""
        for row in rows:
            self.add(row)

    def close(self) -> tuple[Part, ...]:
        """Write what is left and return the parts; none when there are no rows."""
        if self._rows:
            self._flush()
        return tuple(self._parts)

    def _flush(self) -> None:
        self._parts.append(write_part(self._folder / f"part-{len(self._parts):06d}.json", tuple(self._rows)))
        self._rows.clear()
