"""What an embedder is: texts in, vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (texts, dimension); each row has length 1, or is zero for a text with nothing in it."""


class Embedder(Protocol):
    """Turns texts into vectors; deterministic, thread-safe, and a text's vector does not depend on its neighbours."""

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, shape (len(texts), dimension)."""


def normalise(vectors: NDArray[np.floating]) -> Vectors:
    """Return the rows scaled to length 1; a zero row stays zero.

    Args:
        vectors: Shape (n, dimension); finite.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.asarray(vectors * scale[:, None], np.float32)
