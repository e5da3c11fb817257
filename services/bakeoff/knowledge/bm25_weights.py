"""The weight of a term in a text, in five variants of BM25.

Source: Kamphuis et al. 2020, "Which BM25 Do You Mean?", ECIR, table 1. The formulas are those of the library bm25s, in
its precisions (frequencies, their inverse and the result single, the rest double): its scores come out to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

VARIANTS = ("lucene", "robertson", "atire", "bm25l", "bm25+")
SHIFTED = ("bm25l", "bm25+")
"""Variants in which a text without the term has a weight too."""

EXACT_LENGTHS = 24
LENGTH_DIGITS = 4
"""How Lucene stores the length of a text."""

INVERSE_FREQUENCY: dict[str, Callable[[int, int], float]] = {
    "lucene": lambda df, n: math.log(1 + (n - df + 0.5) / (df + 0.5)),
    "robertson": lambda df, n: math.log(max(1.0, (n - df + 0.5) / (df + 0.5))),
    "atire": lambda df, n: math.log(n / df),
    "bm25l": lambda df, n: math.log((n + 1) / (df + 0.5)),
    "bm25+": lambda df, n: math.log((n + 1) / df),
}
"""By variant, from the texts that have the term (from 1) and all texts."""


@dataclass(frozen=True, slots=True)
class Weighting:
    """A variant with its parameters."""

    method: str
    """One of VARIANTS."""
    k1: float
    b: float
    delta: float
    """Only in the shifted variants."""

    def inverse_frequencies(self, frequencies: NDArray[np.int64], texts: int) -> NDArray[np.float32]:
        """Return the inverse document frequency of terms from the texts that have each; shape (terms,)."""
        distinct, where = np.unique(frequencies, return_inverse=True)
        # Not numpy's logarithm, whose last bit depends on the processor.
        values = [INVERSE_FREQUENCY[self.method](int(df), texts) for df in distinct]
        return np.array(values, np.float32)[where]

    def saturation(
        self, frequency: NDArray[np.float32], length: NDArray[np.float64], mean: float
    ) -> NDArray[np.float64]:
        """Return the part of the weight that grows with the term's frequency.

        Args:
            frequency: Occurrences in the text, from 0; shape (n,).
            length: Terms in the text; shape (n,).
            mean: Mean of all texts' lengths, > 0.
        """
        k1, b, delta = self.k1, self.b, self.delta
        norm = 1 - b + b * length / mean
        if self.method == "bm25l":
            scaled = frequency / norm
            return ((k1 + 1) * (scaled + delta)) / (k1 + scaled + delta)
        if self.method == "bm25+":
            return (k1 + 1) * frequency / (k1 * norm + frequency) + delta
        if self.method == "atire":
            return frequency * (k1 + 1) / (frequency + k1 * norm)
        return frequency / (k1 * norm + frequency)


def stored_lengths(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return lengths of texts as Lucene stores them, in one byte: up to 40 as they are, above with four binary digits.

    Args:
        lengths: From 0; shape (texts,).

    Source: Lucene 9, SmallFloat.intToByte4 and byte4ToInt.
    """
    beyond = np.maximum(lengths - EXACT_LENGTHS, 0)
    # The exponent of numpy's frexp is the number of binary digits.
    shift = np.maximum(np.frexp(beyond.astype(np.float64))[1].astype(np.int64) - LENGTH_DIGITS, 0)
    return np.where(lengths < EXACT_LENGTHS, lengths, EXACT_LENGTHS + ((beyond >> shift) << shift))
