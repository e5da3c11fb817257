"""BM25 over a few thousand questions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.inference.examples.words import words_of

K1 = 1.2
B = 0.75
"""Lucene's defaults."""


@dataclass(frozen=True, slots=True)
class Postings:
    """The texts that have a word, with what the word adds to their scores."""

    texts: NDArray[np.int64]
    """Indexes of the texts, rising; shape (n,)."""
    weights: NDArray[np.float64]
    """Shape (n,), > 0."""


class Bm25Ranking:
    """Texts that can be ranked by a question."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Index the texts.

        Source: Robertson & Zaragoza 2009, 3.1, with Lucene's inverse document frequency log(1 + (N - n + 0.5) /
        (n + 0.5)), which is positive, and without the constant factor k1 + 1.
        """
        self._size = len(texts)
        counts = [Counter(words_of(text)) for text in texts]
        lengths = [sum(count.values()) for count in counts]
        mean = (sum(lengths) / len(lengths) if lengths else 0.0) or 1.0
        held: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for index, count in enumerate(counts):
            for word, times in count.items():
                held[word].append((index, times))
        self._postings = {word: self._weighted(entries, lengths, mean) for word, entries in held.items()}

    def scores(self, question: str) -> NDArray[np.float64]:
        """Return the score of each text; shape (texts,), ≥ 0, 0 when it has no word of the question."""
        scores = np.zeros(self._size)
        # Sorted, so that the sums have the same last digit in every process.
        for word, times in sorted(Counter(words_of(question)).items()):
            if word in self._postings:
                postings = self._postings[word]
                scores[postings.texts] += times * postings.weights
        return scores

    def _weighted(self, entries: Sequence[tuple[int, int]], lengths: Sequence[int], mean: float) -> Postings:
        rarity = math.log(1 + (self._size - len(entries) + 0.5) / (len(entries) + 0.5))
        weights = [rarity * times / (times + K1 * (1 - B + B * lengths[index] / mean)) for index, times in entries]
        return Postings(np.array([index for index, _ in entries], np.int64), np.array(weights))
