"""Texts as the terms of a word index: words without stop words, stemmed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.lucene_words import CJK, STOPWORDS, split_as_lucene
from bakeoff.knowledge.stopwords import LANGUAGES, stopwords_of
from bakeoff.knowledge.words import WordBlock, split_words

SHORTEST = 2
"""Characters of a word that counts, as in scikit-learn's and bm25s's pattern `\\b\\w\\w+\\b`."""
DROPPED = -1
WITHOUT_STOPWORDS = (
    "arabic", "armenian", "basque", "catalan", "czech", "esperanto", "estonian", "finnish", "greek", "hindi",
    "hungarian", "indonesian", "irish", "lithuanian", "nepali", "persian", "polish", "romanian", "serbian", "tamil",
    "yiddish",
)  # fmt: skip
"""Languages that have a Snowball stemmer, and no list of stop words here: none is dropped."""
ANALYSED = (*LANGUAGES, *WITHOUT_STOPWORDS, CJK)
"""Languages that texts can be analysed in; the last has bigrams instead of stems."""


@dataclass(frozen=True, slots=True)
class Analyser:
    """Turns words into terms."""

    language: str
    """One of ANALYSED."""
    stopwords: bool
    """Whether stop words are dropped."""
    stemming: bool
    """Whether words are stemmed, by the Snowball stemmer of the language."""
    lucene: bool = False
    """Whether words are those of Lucene's analyzers, and English stems Porter's; always so for CJK."""

    def split(self, texts: Iterable[str]) -> Iterator[WordBlock]:
        """Yield the words of texts, block by block."""
        return split_as_lucene(texts, self.language) if self.as_lucene else split_words(texts)

    @property
    def as_lucene(self) -> bool:
        """Whether words are those of Lucene's analyzers."""
        return self.lucene or self.language == CJK

    def terms_of(self, words: Sequence[str]) -> list[str | None]:
        """Return the term of each word; None for one that is dropped."""
        dropped = self._stopwords() if self.stopwords else frozenset[str]()
        stems = self._stemmed(list(words))
        shortest = 1 if self.as_lucene else SHORTEST
        return [
            None if len(word) < shortest or word in dropped else stem for word, stem in zip(words, stems, strict=True)
        ]

    def lookup(self, texts: Sequence[str], vocabulary: Mapping[str, int]) -> list[NDArray[np.int64]]:
        """Return the terms of each text that a vocabulary has, in the text's order, repeated ones again."""
        found = []
        for block in self.split(texts):
            terms = self.terms_of(block.distinct)
            named = [DROPPED if term is None else vocabulary.get(term, DROPPED) for term in terms]
            occurring = np.array(named, np.int64)[block.words]
            found += [words[words != DROPPED] for words in np.split(occurring, block.offsets[1:-1])]
        return found

    def _stemmed(self, words: list[str]) -> list[str]:
        if not self.stemming or self.language == CJK:
            return words
        from Stemmer import Stemmer

        # Not shared between threads, which it does not survive. No cache: each distinct word comes once.
        algorithm = "porter" if self.lucene and self.language == "english" else self.language
        stems: list[str] = Stemmer(algorithm, 0).stemWords(words)
        return stems

    def _stopwords(self) -> frozenset[str]:
        if self.language == CJK:
            return STOPWORDS
        return stopwords_of(self.language) if self.language in LANGUAGES else frozenset()
