"""Named arrays in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.arrays import read_arrays, write_arrays

ARRAYS = {
    "bytes": np.frombuffer("grün".encode(), np.uint8),
    "weights": np.array([[1.5, -2.0]], np.float32),
    "numbers": np.array([1 << 40, -1], np.int64),
    "none": np.zeros((0, 2), np.int32),
}


def test_what_is_written_is_read_and_cannot_be_changed(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a", ARRAYS, {"format": "1", "note": "ü"})

    arrays, notes = read_arrays(tmp_path / "a")

    assert notes == {"format": "1", "note": "ü"}
    assert {name: array.dtype for name, array in arrays.items()} == {n: a.dtype for n, a in ARRAYS.items()}
    assert all(np.array_equal(arrays[name], array) for name, array in ARRAYS.items())
    with pytest.raises(ValueError, match="read-only"):
        arrays["weights"][0, 0] = 1


def test_the_library_safetensors_reads_the_same(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a", ARRAYS, {"format": "1"})

    with safe_open(tmp_path / "a", framework="numpy") as file:
        assert file.metadata() == {"format": "1"}
        assert all(np.array_equal(file.get_tensor(name), array) for name, array in ARRAYS.items())


def test_equal_arrays_are_equal_bytes_in_whatever_order(tmp_path: Path) -> None:
    write_arrays(tmp_path / "a", ARRAYS, {"x": "1", "y": "2"})
    write_arrays(tmp_path / "b", dict(reversed(ARRAYS.items())), {"y": "2", "x": "1"})

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    "data", [b"", b"12", b"\xff" * 50, b"\x02" + b"\x00" * 7 + b"[]", b"\x08" + b"\x00" * 7 + b'{"a":{}}']
)
def test_a_file_of_something_else_is_told(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a").write_bytes(data)

    with pytest.raises(InvalidInputError, match="a is no file of arrays"):
        read_arrays(tmp_path / "a")
