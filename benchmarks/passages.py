"""Passages of drawn words, 56 each as in MS MARCO, from a vocabulary in Zipf's distribution; the same in every run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

WORDS = 56
VOCABULARY = 300_000
DRAWN = 10_000


def drawn_passages(size: int) -> Iterator[str]:
    """Yield so many passages; another size gives others."""
    rng = np.random.default_rng(size)
    words = vocabulary()
    weights = 1 / np.arange(1, VOCABULARY + 1)
    edges = np.cumsum(weights) / weights.sum()
    for first in range(0, size, DRAWN):
        drawn = np.searchsorted(edges, rng.random((min(DRAWN, size - first), WORDS)))
        for row in words[np.minimum(drawn, VOCABULARY - 1)].tolist():
            yield " ".join(row) + "."


def vocabulary() -> np.ndarray:
    """Return all words, the most frequent ones first."""
    rng = np.random.default_rng(1)
    syllables = [a + b for a in "bdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "in", "ol", "us")]
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        for row in rng.integers(0, len(syllables), (VOCABULARY, 5)).tolist():
            words["".join(syllables[place] for place in row[: 2 + row[4] % 3])] = None
    return np.array(list(words)[:VOCABULARY], object)
