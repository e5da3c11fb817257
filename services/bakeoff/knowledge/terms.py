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
class TermCounts:
    """How often each term is in each text; the postings of a word index."""

    terms: list[str]
    """Sorted."""
    term: NDArray[np.int64]
    """Number of the term of each posting, ascending; shape (postings,)."""
    text: NDArray[np.int32]
    """Number of the text of each posting, ascending within a term; shape (postings,)."""
    frequency: NDArray[np.int32]
    """Occurrences of the term in the text, from 1; shape (postings,)."""
    lengths: NDArray[np.int64]
    """Terms in each text, repeated ones counted; shape (texts,)."""


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

    def count(self, texts: Sequence[str]) -> TermCounts:
        """Return the terms of texts, counted."""
        blocks = list(split_words(texts))
        named = [self.terms_of(block.distinct) for block in blocks]
        terms = sorted({term for names in named for term in names if term is not None})
        numbers: dict[str | None, int] = {term: number for number, term in enumerate(terms)}
        numbers[None] = DROPPED
        lengths = np.zeros(len(texts), np.int64)
        runs = []
        for block, names in zip(blocks, named, strict=True):
            occurring = np.array([numbers[name] for name in names], np.int64)[block.words]
            text = np.repeat(np.arange(block.first, block.last), np.diff(block.offsets))
            kept = np.flatnonzero(occurring != DROPPED)
            occurring, text = occurring[kept], text[kept]
            lengths[block.first : block.last] = np.bincount(text - block.first, minlength=block.last - block.first)
            runs.append(_runs(occurring * len(texts) + text))
        keys, counts = _merged(runs)
        term, text = np.divmod(keys, max(len(texts), 1))
        return TermCounts(terms, term, text.astype(np.int32), counts.astype(np.int32), lengths)

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


Runs = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Keys, ascending, and how often each occurs."""


def _runs(keys: NDArray[np.int64]) -> Runs:
    """Return the distinct keys, ascending, and how often each occurs."""
    keys.sort()
    first = np.flatnonzero(np.concatenate((np.ones(min(len(keys), 1), bool), keys[1:] != keys[:-1])))
    return keys[first], np.diff(np.append(first, len(keys)))


def _merged(runs: Sequence[Runs]) -> Runs:
    """Return the runs of several blocks as one; no key is in two of them."""
    if len(runs) == 1:
        return runs[0]
    keys = np.concatenate([keys for keys, _ in runs] or [np.zeros(0, np.int64)])
    counts = np.concatenate([counts for _, counts in runs] or [np.zeros(0, np.int64)])
    order = np.argsort(keys, kind="stable")  # made for sequences of sorted runs
    return keys[order], counts[order]
