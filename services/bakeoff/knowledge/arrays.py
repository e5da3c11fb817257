"""Named arrays in one file, in the safetensors layout: eight bytes of header length, a JSON header, the numbers.

The layout is read by the library safetensors too. Written here because its own writer orders free text in the header by
chance, and reads here because an index is mapped into memory, not copied.

Source: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import json
import math
import mmap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError

TYPES: dict[str, np.dtype[np.generic]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "U8": np.dtype("u1"),
}
NAMES = {dtype: name for name, dtype in TYPES.items()}
NOTES = "__metadata__"
ALIGNED = 64
"""Bytes to whose multiple the header is filled up: the arrays then begin on a cache line."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """An array that is written block by block and need not be in memory as a whole."""

    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    blocks: Callable[[], Iterable[NDArray[np.generic]]]
    """Gives the array's blocks along its first axis, in order; of another type they are converted."""

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array."""
        return math.prod(self.shape) * self.dtype.itemsize


def write_arrays(path: Path, arrays: Mapping[str, NDArray[np.generic] | Blocks], notes: Mapping[str, str]) -> None:
    """Write arrays to a file; equal arrays and notes give equal bytes.

    Args:
        path: A file that does not exist yet.
        arrays: Of the types in TYPES.
        notes: Free text for the header.

    Raises:
        ValueError: blocks are more or fewer than their array's shape says.
    """
    # Widest type first keeps every array aligned to its type.
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    header: dict[str, object] = {NOTES: dict(sorted(notes.items()))}
    start = 0
    for name, array in ordered:
        header[name] = {
            "dtype": NAMES[array.dtype.newbyteorder("<")],
            "shape": list(array.shape),
            "data_offsets": [start, start + array.nbytes],
        }
        start += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(len(text) + 8) % ALIGNED)
    with path.open("xb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name, array in ordered:
            written = 0
            for block in array.blocks() if isinstance(array, Blocks) else (array,):
                written += file.write(np.ascontiguousarray(block, array.dtype.newbyteorder("<")).data)
            if written != array.nbytes:
                raise ValueError(f"the blocks of {name} have {written} bytes, not {array.nbytes}")


def read_arrays(path: Path) -> tuple[dict[str, NDArray[np.generic]], dict[str, str]]:
    """Map the arrays of a file into memory, read-only, and return them with the file's notes.

    Raises:
        InvalidInputError: the file is not in this layout.
    """
    with path.open("rb") as file:
        try:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            first = 8 + int.from_bytes(mapped[:8], "little")
            header = json.loads(mapped[8:first])
            notes: dict[str, str] = header.pop(NOTES, {})
            arrays = {name: _mapped(mapped, first, entry) for name, entry in header.items()}
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInputError(f"{path.name} is no file of arrays: {error}") from error
    return arrays, notes


class FileArrays(Mapping[str, NDArray[np.generic]]):
    """The arrays of a file, which is mapped only while one of them is used: thousands of files cost no open file."""

    def __init__(self, path: Path) -> None:
        """Read the header.

        Raises:
            InvalidInputError: the file is not in this layout.
        """
        self._path = path
        arrays, self.notes = read_arrays(path)
        self._names = tuple(arrays)

    def __getitem__(self, name: str) -> NDArray[np.generic]:
        """Return an array, read-only; the file is mapped as long as somebody has it."""
        if name not in self._names:
            raise KeyError(name)
        return read_arrays(self._path)[0][name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return how many arrays there are."""
        return len(self._names)


def _mapped(mapped: mmap.mmap, first: int, entry: Mapping[str, Any]) -> NDArray[np.generic]:
    start, stop = entry["data_offsets"]
    dtype = TYPES[entry["dtype"]]
    array: NDArray[np.generic] = np.frombuffer(mapped, dtype, (stop - start) // dtype.itemsize, first + start)
    return array.reshape(entry["shape"])
