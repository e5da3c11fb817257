r"""Texts as their words: the one tokenisation of the word index and the hashing embedder, for millions of words.

A word is a run of letters, digits and underscores in lower case: what `re.findall(r"\w+", text.lower())` gives. Texts
are laid out as bytes and cut with array operations, which is several times faster than the regular expression, and
each block of texts names a distinct word once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLOCK_CHARACTERS = 1 << 22
"""Texts are cut in blocks of about so many characters: arrays that stay in the processor's cache."""
SPACE = ord(" ")
NO_WORD_BEYOND_ASCII = re.compile(r"[^\w\x00-\x7f]+")
# ASCII in lower case, what is no word as a space. Bytes of other characters stay: those of no word are gone by then.
TABLE = bytes(
    byte if byte >= 128 else ord(chr(byte).lower()) if chr(byte).isalnum() or chr(byte) == "_" else SPACE
    for byte in range(256)
)
NO_WORD = bytes(byte for byte in range(256) if TABLE[byte] == SPACE)


@dataclass(frozen=True, slots=True)
class WordBlock:
    """The words of some consecutive texts."""

    first: int
    """Number of the first text."""
    distinct: list[str]
    """Each word once, in the order in which they appear."""
    words: NDArray[np.int32]
    """All words in order, as numbers into `distinct`; shape (words,)."""
    offsets: NDArray[np.int64]
    """Words of text `first + i` are `words[offsets[i]:offsets[i + 1]]`; shape (texts + 1,)."""

    @property
    def last(self) -> int:
        """One past the number of the last text."""
        return self.first + len(self.offsets) - 1


def split_words(texts: Iterable[str]) -> Iterator[WordBlock]:
    """Yield the words of texts, block by block."""
    for first, block in text_blocks(texts):
        yield _block(first, block)


def text_blocks(texts: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield texts in blocks of about BLOCK_CHARACTERS, each with the number of its first text."""
    first = size = 0
    block: list[str] = []
    for text in texts:
        block.append(text)
        size += len(text)
        if size >= BLOCK_CHARACTERS:
            yield first, block
            first, size, block = first + len(block), 0, []
    if block:
        yield first, block


def _block(first: int, texts: Sequence[str]) -> WordBlock:
    import pyarrow as pa

    encoded = [_plain(text) for text in texts]
    starts = np.zeros(len(encoded) + 1, np.int64)
    # One space behind each text keeps its last word apart from the next text's first.
    np.cumsum([len(text) + 1 for text in encoded], out=starts[1:])
    joined = b" ".join(encoded) + b" "
    spaces = np.flatnonzero(np.frombuffer(joined.translate(TABLE), np.uint8) == SPACE)
    lengths = np.diff(spaces, prepend=-1) - 1
    ends = spaces[lengths > 0]
    cuts = np.zeros(len(ends) + 1, np.int32)
    np.cumsum(lengths[lengths > 0], out=cuts[1:])
    letters = joined.translate(TABLE, delete=NO_WORD)
    words = pa.StringArray.from_buffers(len(ends), pa.py_buffer(cuts), pa.py_buffer(letters)).dictionary_encode()
    return WordBlock(first, words.dictionary.to_pylist(), words.indices.to_numpy(), np.searchsorted(ends, starts))


def _plain(text: str) -> bytes:
    """Return a text in UTF-8 in which every character beyond ASCII is of a word."""
    if text.isascii():
        return text.encode("ascii")
    return NO_WORD_BEYOND_ASCII.sub(" ", text.lower()).encode("utf-8", "replace")
