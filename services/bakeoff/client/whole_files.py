"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from bakeoff.domain.errors import InvalidInputError


def write_whole(path: Path, pieces: Iterable[bytes]) -> Path:
    """Write a file in one step, through a neighbour that is renamed; return its path.

    Raises:
        InvalidInputError: the path cannot be written.
    """
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            for piece in pieces:
                file.write(piece)
        partial.replace(path)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        with suppress(OSError):
            partial.unlink()
    return path
