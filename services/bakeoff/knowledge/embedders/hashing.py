"""Embedder: words and pieces of words, hashed into a fixed number of places. Needs no model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.embedding import Embedder, Vectors, normalise
from bakeoff.knowledge.registries import embedders
from bakeoff.knowledge.stopwords import LANGUAGES, stopwords_of
from bakeoff.knowledge.words import WordBlock, split_words
from bakeoff.runtime.registry import Is

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

PIECES = (3, 4, 5)
"""Characters of the pieces of a word that count beside the word itself, its ends marked by `<` and `>`."""
MULTIPLIER = np.uint64(0x100000001B3)
"""Of the polynomial hash; the prime of FNV-1a with 64 bits."""


@embedders.register("hashing", facts={"libraries": ["bm25s", "numpy", "pyarrow", "scipy"]})
def hashing(
    *,
    dimension: Annotated[int, Is("numbers of a vector", minimum=8, maximum=65536)] = 512,
    language: Annotated[str, Is("language of the stop words", choices=LANGUAGES)] = "english",
    stopwords: Annotated[bool, Is("whether stop words are left out")] = True,
) -> Embedder:
    """Hash words and pieces of words into a vector.

    A text's vector is the sum over its distinct words of (1 + ln tf) times the word's vector, scaled to length 1. A
    word's vector is a random sign in the place of the word, and as much again spread over the places of its pieces of 3
    to 5 characters. A text of nothing but stop words has a zero vector.

    Source: Weinberger et al. 2009, "Feature Hashing for Large Scale Multitask Learning", arXiv:0902.2206; pieces of
    words as in Bojanowski et al. 2017, arXiv:1607.04606.
    """
    return Hashing(dimension, stopwords_of(language) if stopwords else frozenset())


@dataclass(frozen=True, slots=True)
class Hashing:
    """The hashing embedder with its settings."""

    dimension: int
    dropped: frozenset[str]
    """Words that do not count."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for block in split_words(texts):
            if block.distinct:
                # Double precision, and words in their order: a sum is the same whatever the other texts are.
                sums = (_weights(block) @ self._words(sorted(block.distinct))).toarray()
                vectors[block.first : block.last] = normalise(sums)
        return vectors

    def _words(self, words: list[str]) -> csr_matrix:
        """Return the vectors of words, shape (words, dimension)."""
        from scipy.sparse import csr_matrix

        owner, hashes, weights = _features(words)
        counts = np.array([word not in self.dropped for word in words], np.float64)
        signs = np.where(hashes & np.uint64(1), 1.0, -1.0)
        places = ((hashes >> np.uint64(1)) % np.uint64(self.dimension)).astype(np.int64)
        shape = (len(words), self.dimension)
        return csr_matrix((signs * weights * counts[owner], (owner, places)), shape=shape)


def _weights(block: WordBlock) -> csr_matrix:
    """Return 1 + ln tf of each word in each text, shape (texts, words), words in sorted order."""
    from scipy.sparse import csr_matrix

    order = sorted(range(len(block.distinct)), key=block.distinct.__getitem__)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    shape = (len(block.offsets) - 1, len(order))
    counts = csr_matrix((np.ones(len(block.words)), place[block.words], block.offsets), shape=shape)
    counts.sum_duplicates()
    # Not numpy's logarithm, whose last bit depends on the processor.
    table = np.array([0.0, *(1.0 + math.log(tf) for tf in range(1, int(counts.data.max(initial=1)) + 1))])
    counts.data = table[counts.data.astype(np.int64)]
    return counts


def _features(words: list[str]) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.float64]]:
    """Return the features of words: whose each is, its hash, and its weight."""
    marked = [f"<{word}>" for word in words]
    letters = np.frombuffer("".join(marked).encode("utf-32-le"), np.uint32).astype(np.uint64)
    lengths = np.array([len(word) for word in marked], np.int64)
    starts = np.cumsum(lengths) - lengths
    inside = np.arange(len(letters)) - np.repeat(starts, lengths)
    powers = np.cumprod(np.full(max(*PIECES, int(lengths.max())), MULTIPLIER, np.uint64))
    whole = np.add.reduceat(letters * powers[inside], starts)
    owners = [np.arange(len(words))]
    hashes = [_mixed(whole, 0)]
    left = np.repeat(lengths, lengths) - inside
    for size in PIECES:
        begins = np.flatnonzero(left >= size)
        owners.append(np.repeat(np.arange(len(words)), lengths)[begins])
        pieces = sum(letters[begins + offset] * powers[offset] for offset in range(size))
        hashes.append(_mixed(np.asarray(pieces, np.uint64), size))
    owner = np.concatenate(owners)
    pieces_of = np.maximum(np.bincount(owner, minlength=len(words)) - 1, 1)
    weights = 1.0 / np.sqrt(pieces_of[owner].astype(np.float64))
    weights[: len(words)] = 1.0
    return owner, np.concatenate(hashes), weights


def _mixed(keys: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """Spread keys over all 64 bits. Source: Steele et al. 2014, the finaliser of SplitMix64."""
    mixed = keys + np.uint64((seed + 1) * 0x9E3779B97F4A7C15 % (1 << 64))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
