"""Texts as the terms of a word index: words without stop words, stemmed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.stopwords import stopwords_of
from bakeoff.knowledge.words import split_words

SHORTEST = 2
"""Characters of a word that counts, as in scikit-learn's and bm25s's pattern `\\b\\w\\w+\\b`."""
DROPPED = -1


@dataclass(frozen=True, slots=True)
class Analyser:
    """Turns words into terms."""

    language: str
    """One of those with stop words and a stemmer."""
    stopwords: bool
    """Whether stop words are dropped."""
    stemming: bool
    """Whether words are stemmed, by the Snowball stemmer of the language."""

    def terms_of(self, words: Sequence[str]) -> list[str | None]:
        """Return the term of each word; None for one that is dropped."""
        dropped = stopwords_of(self.language) if self.stopwords else frozenset[str]()
        stems = self._stemmed(list(words))
        return [
            None if len(word) < SHORTEST or word in dropped else stem for word, stem in zip(words, stems, strict=True)
        ]

    def lookup(self, texts: Sequence[str], vocabulary: Mapping[str, int]) -> list[NDArray[np.int64]]:
        """Return the terms of each text that a vocabulary has, in the text's order, repeated ones again."""
        found = []
        for block in split_words(texts):
            terms = self.terms_of(block.distinct)
            named = [DROPPED if term is None else vocabulary.get(term, DROPPED) for term in terms]
            occurring = np.array(named, np.int64)[block.words]
            found += [words[words != DROPPED] for words in np.split(occurring, block.offsets[1:-1])]
        return found

    def _stemmed(self, words: list[str]) -> list[str]:
        if not self.stemming:
            return words
        from Stemmer import Stemmer

        # Not shared between threads, which it does not survive. No cache: each distinct word comes once.
        stems: list[str] = Stemmer(self.language, 0).stemWords(words)
        return stems
