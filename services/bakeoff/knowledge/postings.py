"""How often each term is in each text: the postings of a word index, for hundreds of millions of words.

Blocks of texts are counted apart, in processes when there are some. A block's postings are in the order of its own
terms; putting them where they belong needs no sorting, so that a posting costs the same in any number of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.knowledge.terms import DROPPED, Analyser
from bakeoff.knowledge.words import WordBlock, text_blocks
from bakeoff.knowledge.workers import ALONE, Workers


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


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """The terms of a block of texts, counted; numbers are of the block's own terms and texts."""

    terms: list[str]
    sizes: NDArray[np.int32]
    """Postings of each term; shape (terms,)."""
    text: NDArray[np.int32]
    """Number of the text of each posting, by term and ascending; shape (postings,)."""
    frequency: NDArray[np.int32]
    lengths: NDArray[np.int32]
    """Terms in each text; shape (texts,)."""


def count_terms(texts: Sequence[str], analyser: Analyser, workers: Workers = ALONE) -> TermCounts:
    """Return the terms of texts, counted."""
    numbers: dict[str, int] = {}
    blocks: list[BlockCounts] = []
    named: list[NDArray[np.int32]] = []

    def count(block: tuple[int, list[str]]) -> BlockCounts:
        return workers.call(count_block, block[1], analyser)

    for counts in workers.ordered(count, text_blocks(texts)):
        named.append(np.array([numbers.setdefault(term, len(numbers)) for term in counts.terms], np.int32))
        counts.terms.clear()  # `numbers` has them now, once
        blocks.append(counts)
    terms = sorted(numbers)
    place = np.empty(len(terms), np.int32)
    place[[numbers[term] for term in terms]] = np.arange(len(terms), dtype=np.int32)
    return _joined(terms, blocks, [place[each] for each in named])


def count_block(texts: Sequence[str], analyser: Analyser) -> BlockCounts:
    """Return the terms of a block of texts, counted."""
    numbers: dict[str, int] = {}
    lengths = np.zeros(len(texts), np.int32)
    keys = []
    for block in analyser.split(texts):  # one, unless the texts are more than a block
        names = analyser.terms_of(block.distinct)
        own = [DROPPED if name is None else numbers.setdefault(name, len(numbers)) for name in names]
        term, text = _occurrences(block, np.array(own, np.int64))
        lengths[block.first : block.last] = np.bincount(text - block.first, minlength=block.last - block.first)
        keys.append(term * len(texts) + text)
    joined = np.concatenate(keys) if keys else np.zeros(0, np.int64)
    joined.sort()
    first = np.flatnonzero(np.concatenate((np.ones(min(len(joined), 1), bool), joined[1:] != joined[:-1])))
    frequency = np.diff(np.append(first, len(joined))).astype(np.int32)
    term, text = np.divmod(joined[first], max(len(texts), 1))
    sizes = np.bincount(term, minlength=len(numbers)).astype(np.int32)
    return BlockCounts(list(numbers), sizes, text.astype(np.int32), frequency, lengths)


def terms_at(pointers: NDArray[np.int64], start: int, stop: int) -> NDArray[np.int64]:
    """Return the term of each of the postings `[start, stop)`."""
    first = int(pointers.searchsorted(start, side="right")) - 1
    last = int(pointers.searchsorted(stop, side="left"))
    edges = np.clip(pointers[first : last + 1], start, stop)
    return np.repeat(np.arange(first, last), np.diff(edges))


def _occurrences(block: WordBlock, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the term and the text of each word that is not dropped, in their order."""
    term = numbers[block.words]
    text = np.repeat(np.arange(block.first, block.last), np.diff(block.offsets))
    kept = np.flatnonzero(term != DROPPED)
    return term[kept], text[kept]


def _joined(terms: list[str], blocks: list[BlockCounts], named: list[NDArray[np.int32]]) -> TermCounts:
    """Put the postings of all blocks where they belong; the blocks are used up.

    Args:
        terms: Of all blocks, sorted.
        blocks: In the order of their texts.
        named: For each block the numbers of its terms in `terms`.
    """
    pointers = np.zeros(len(terms) + 1, np.int64)
    for block, mine in zip(blocks, named, strict=True):
        pointers[mine + 1] += block.sizes
    np.cumsum(pointers, out=pointers)
    text = np.empty(int(pointers[-1]), np.int32)
    frequency = np.empty(len(text), np.int32)
    lengths = np.concatenate([block.lengths for block in blocks] or [np.zeros(0, np.int32)]).astype(np.int64)
    free = pointers[:-1].copy()
    first = 0
    blocks.reverse()
    for mine in named:
        block = blocks.pop()
        begins = np.cumsum(block.sizes, dtype=np.int64) - block.sizes
        to = np.repeat(free[mine] - begins, block.sizes) + np.arange(len(block.text))
        text[to] = block.text + first
        frequency[to] = block.frequency
        free[mine] += block.sizes
        first += len(block.lengths)
    return TermCounts(terms, pointers, text, frequency, lengths)
