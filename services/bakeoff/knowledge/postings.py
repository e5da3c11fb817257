"""How often each term is in each text: the postings of a word index, for hundreds of millions of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.domain.errors import InvalidInputError
from bakeoff.knowledge.terms import DROPPED, Analyser
from bakeoff.knowledge.words import WordBlock, split_words

LARGEST = (1 << 63) - 1
BLOCK_KEYS = 1 << 20


@dataclass(frozen=True, slots=True)
class TermCounts:
    """The terms of texts, counted."""

    terms: list[str]
    """Sorted."""
    pointers: NDArray[np.int64]
    """Postings of term `i` are `[pointers[i], pointers[i + 1])`; shape (terms + 1,)."""
    text: NDArray[np.int32]
    """Number of the text of each posting, ascending within a term; shape (postings,)."""
    frequency: NDArray[np.int32]
    """Occurrences of the term in the text, from 1; shape (postings,)."""
    lengths: NDArray[np.int64]
    """Terms in each text, repeated ones counted; shape (texts,)."""


def count_terms(texts: Sequence[str], analyser: Analyser) -> TermCounts:
    """Return the terms of texts, counted."""
    blocks = list(split_words(texts))
    named = [analyser.terms_of(block.distinct) for block in blocks]
    terms = sorted({term for names in named for term in names if term is not None})
    numbers: dict[str | None, int] = {term: number for number, term in enumerate(terms)}
    numbers[None] = DROPPED
    lengths = np.zeros(len(texts), np.int64)
    runs = []
    for names in named:
        block = blocks.pop(0)  # a block's words are let go of once they are counted
        term, text = _occurrences(block, np.array([numbers[name] for name in names], np.int64))
        lengths[block.first : block.last] = np.bincount(text - block.first, minlength=block.last - block.first)
        runs.append(_runs(term * len(texts) + text))
    keys, frequency = _merged(runs, max(len(terms) * len(texts), 1))
    pointers = keys.searchsorted(np.arange(len(terms) + 1) * len(texts))
    return TermCounts(terms, pointers, _remainders(keys, len(texts)), frequency, lengths)


def _remainders(keys: NDArray[np.int64], divisor: int) -> NDArray[np.int32]:
    """Return what is left of keys after division, block by block, since a whole copy in 64 bits is not needed."""
    left = np.empty(len(keys), np.int32)
    for first in range(0, len(keys), BLOCK_KEYS):
        left[first : first + BLOCK_KEYS] = keys[first : first + BLOCK_KEYS] % divisor
    return left


def _occurrences(block: WordBlock, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the term and the text of each word that is not dropped, in their order."""
    term = numbers[block.words]
    text = np.repeat(np.arange(block.first, block.last), np.diff(block.offsets))
    kept = np.flatnonzero(term != DROPPED)
    return term[kept], text[kept]


Runs = tuple[NDArray[np.int64], NDArray[np.int32]]
"""Keys, ascending, and how often each occurs."""


def _runs(keys: NDArray[np.int64]) -> Runs:
    """Return the distinct keys, ascending, and how often each occurs."""
    keys.sort()
    first = np.flatnonzero(np.concatenate((np.ones(min(len(keys), 1), bool), keys[1:] != keys[:-1])))
    return keys[first], np.diff(np.append(first, len(keys))).astype(np.int32)


def _merged(runs: list[Runs], limit: int) -> Runs:
    """Return the runs of several blocks as one; no key is in two of them. The runs are used up.

    Args:
        runs: One a block.
        limit: More than any key.

    Raises:
        InvalidInputError: there are more terms, texts and repetitions than fit into 63 bits together.
    """
    if len(runs) == 1:
        return runs.pop()
    # Key and count in one number: sorting in place then takes no second copy.
    bits = max((int(counts.max(initial=0)) for _, counts in runs), default=0).bit_length()
    if limit << bits > LARGEST:
        raise InvalidInputError(f"too many terms, chunks and repetitions for one index: {limit} x {1 << bits}")
    packed = np.empty(sum(len(keys) for keys, _ in runs), np.int64)
    stop = len(packed)
    while runs:
        keys, counts = runs.pop()
        packed[stop - len(keys) : stop] = (keys << bits) | counts
        stop -= len(keys)
    packed.sort()
    counts = (packed & ((1 << bits) - 1)).astype(np.int32)
    packed >>= bits
    return packed, counts
