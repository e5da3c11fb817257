"""The texts of chunks as a sequence that reads each where it lies: a million texts need not be in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from bakeoff.knowledge.indexing import Arrays

BLOCK = 4096
"""Texts that are read at once when all are gone through."""


class ChunkTexts(Sequence[str]):
    """The texts of all chunks of a table."""

    def __init__(self, arrays: Arrays) -> None:
        """Take the columns of a table; they may be mapped from a file."""
        self._texts = arrays["texts"].reshape(-1).data
        self._bytes = np.asarray(arrays["chunk_bytes"], np.int64)

    def __len__(self) -> int:
        """Return how many chunks there are."""
        return len(self._bytes)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        """Return the text of one chunk, or a list of those of several."""
        if isinstance(at, slice):
            return [str(self._texts[start:stop], "utf-8") for start, stop in self._bytes[at].tolist()]
        start, stop = self._bytes[at].tolist()
        return str(self._texts[start:stop], "utf-8")

    def __iter__(self) -> Iterator[str]:
        """Yield all texts in order."""
        for first in range(0, len(self), BLOCK):
            yield from self[first : first + BLOCK]
