"""What an embedder is: texts in, vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.models.access import ModelAccess

ASIDE = "aside"
"""A card's fact: the settings that have no part in the vectors of passages."""
Vectors = NDArray[np.float32]
"""Shape (texts, dimension); each row has length 1, or is zero for a text with nothing in it."""

TokenCounts = NDArray[np.float64]
"""Tokens of texts as an endpoint counted them, shape (texts,), ≥ 0; NaN where it did not."""


class Embedder(Protocol):
    """Turns texts into vectors; deterministic, thread-safe, and a text's vector does not depend on its neighbours."""

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, shape (len(texts), dimension)."""


@runtime_checkable
class AsymmetricEmbedder(Protocol):
    """What an embedder can do beside `embed` when a query is something else than a passage, such as by a prefix."""

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one vector a query, shape (len(queries), dimension)."""


@runtime_checkable
class RemoteEmbedder(Protocol):
    """What an embedder can do beside `embed` when it asks a model at an endpoint."""

    def with_models(self, models: ModelAccess) -> Embedder:
        """Return the embedder, asking with what a process opens models with."""

    def embed_counted(self, texts: Sequence[str]) -> tuple[Vectors, TokenCounts]:
        """Return one vector a text, and its tokens, whoever paid for them."""

    def cost(self, tokens: float) -> float | None:
        """Return what tokens cost; None when there is no price."""

    def spent(self) -> dict[str, int]:
        """Return what it took so far, by name; what is 0 is left out."""


def connected(embedder: Embedder, models: ModelAccess | None) -> Embedder:
    """Return an embedder that can be used.

    Args:
        embedder: As its registry makes it.
        models: Opens models; None opens such as need no key.
    """
    return embedder.with_models(models) if models and isinstance(embedder, RemoteEmbedder) else embedder


def query_vectors(embedder: Embedder, queries: Sequence[str], dimension: int) -> Vectors:
    """Return one vector a query, to be compared with those of an index.

    Args:
        embedder: The one of the index.
        queries: Any texts.
        dimension: Numbers of a vector of the index.

    Raises:
        InvalidInputError: the vectors have another dimension, or one is not finite.
    """
    embed = embedder.embed_queries if isinstance(embedder, AsymmetricEmbedder) else embedder.embed
    vectors = checked(embed(queries), queries)
    if vectors.shape[1] != dimension:
        raise InvalidInputError(
            f"the embedder gives vectors of {vectors.shape[1]} numbers, but those of the index have {dimension}"
        )
    return vectors


def checked(vectors: Vectors, texts: Sequence[str]) -> Vectors:
    """Return vectors as they are.

    Raises:
        InvalidInputError: one is not finite; the message has its text.
    """
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        wrong = texts[int(np.flatnonzero(~finite)[0])]
        raise InvalidInputError(f"the embedder gave NaN or infinity for the text {wrong[:80]!r}")
    return vectors


def normalise(vectors: NDArray[np.floating]) -> Vectors:
    """Return the rows scaled to length 1; a zero row stays zero.

    Args:
        vectors: Shape (n, dimension); finite.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.asarray(vectors * scale[:, None], np.float32)
