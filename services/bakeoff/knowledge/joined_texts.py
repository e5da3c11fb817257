"""Many texts as two columns of numbers: their bytes one behind the other, and where each ends."""

from __future__ import annotations

from array import array

import numpy as np

from bakeoff.knowledge.indexing import Arrays


class JoinedTexts:
    """Texts one behind the other in UTF-8, and where each ends."""

    def __init__(self) -> None:
        """Begin without texts."""
        self.texts = bytearray()
        self.ends = array("q")

    def add(self, text: str) -> None:
        """Add a text."""
        self.texts += text.encode("utf-8")
        self.ends.append(len(self.texts))

    def arrays(self, name: str) -> Arrays:
        """Return the columns `<name>s` and `<name>_ends`."""
        return {
            f"{name}s": np.frombuffer(self.texts, np.uint8),
            f"{name}_ends": np.frombuffer(self.ends, np.int64),
        }


class TextColumn:
    """Joined texts that are stored."""

    def __init__(self, arrays: Arrays, name: str) -> None:
        """Take the columns `<name>s` and `<name>_ends`."""
        self._texts = arrays[f"{name}s"].reshape(-1).data
        self._ends = arrays[f"{name}_ends"].reshape(-1).data

    def __getitem__(self, number: int) -> str:
        """Return a text by its number, from 0."""
        start = self._ends[number - 1] if number else 0
        return str(self._texts[start : self._ends[number]], "utf-8")
