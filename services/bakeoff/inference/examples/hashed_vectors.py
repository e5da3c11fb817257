"""Vectors of texts without a model: words and pieces of words, hashed to places."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bakeoff.inference.examples.words import words_of

DIMENSIONS = 512
PIECE = 3
"""Characters of a piece: what `running` and `runner` share."""
WORD_WEIGHT = 3
"""A word that two texts share counts as much as three shared pieces."""


def hashed_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return a vector of whole numbers for each text; shape (texts, DIMENSIONS); zero for a text without words.

    Whole numbers, so that products of vectors are exact and the same on every machine.

    Source: Weinberger et al. 2009, "Feature Hashing for Large Scale Multitask Learning", with signed places.
    """
    vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
    for row, text in enumerate(texts):
        for word in dict.fromkeys(words_of(text)):
            for place, amount in _places(word):
                vectors[row, place] += amount
    return vectors


@lru_cache(1 << 16)
def _places(word: str) -> tuple[tuple[int, int], ...]:
    framed = f"<{word}>"
    pieces = [framed[start : start + PIECE] for start in range(len(framed) - PIECE + 1)]
    return (_place("word " + word, WORD_WEIGHT), *(_place("piece " + piece, 1) for piece in pieces))


def _place(feature: str, amount: int) -> tuple[int, int]:
    number = int.from_bytes(hashlib.blake2b(feature.encode(errors="replace"), digest_size=8).digest())
    return (number >> 1) % DIMENSIONS, amount if number & 1 else -amount
