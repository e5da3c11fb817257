"""Cutting a text where its structure allows: sections before paragraphs before lines before sentences before tokens."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from bakeoff.knowledge.chunking import Chunk, tokens_of
from bakeoff.knowledge.sentences import sentences_of, stripped
from bakeoff.knowledge.structure import Heading

PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
LINE = re.compile(r"\n")

Level = Callable[[int, int], list[Chunk]]
"""Divides the characters from start to stop into pieces, in order, that leave out nothing but white space."""


class Cutter:
    """Cuts parts of one text into pieces of at most so many tokens."""

    def __init__(self, text: str, max_tokens: int, headings: Sequence[Heading] = ()) -> None:
        """Take a text.

        Args:
            text: What is cut.
            max_tokens: Tokens of a piece at most, from 1.
            headings: Where sections begin, in order.
        """
        self._text = text
        self._most = max_tokens
        self._tokens = tokens_of(text)
        self._starts = [start for start, _ in self._tokens]
        known = [each for each in headings if not self._is_within_token(each.start)]
        depths = sorted({heading.level for heading in known})
        self._levels: list[Level] = [
            *(self._sections([each.start for each in known if each.level <= depth]) for depth in depths),
            lambda start, stop: self._between(PARAGRAPH, start, stop),
            lambda start, stop: self._between(LINE, start, stop),
            lambda start, stop: [(start + first, start + last) for first, last in sentences_of(text[start:stop])],
        ]

    def tokens(self, start: int, stop: int) -> int:
        """Return how many tokens begin in a part of the text."""
        return bisect_left(self._starts, stop) - bisect_left(self._starts, start)

    def cut(self, start: int, stop: int) -> list[Chunk]:
        """Return pieces of a part of the text, as few as structure allows; none of white space."""
        start, stop = stripped(self._text, start, stop)
        return self._cut(start, stop, 0) if start < stop else []

    def overlapping(self, chunks: Sequence[Chunk], overlap: int) -> list[Chunk]:
        """Return chunks that begin so many tokens earlier, but behind the begin of the one before."""
        moved = list(chunks[:1])
        for (before, _), (start, stop) in pairwise(chunks):
            first = bisect_left(self._starts, start) - overlap
            earlier = self._starts[first] if first >= 0 else 0
            moved.append((min(start, max(earlier, moved[-1][0] + 1, before + 1)), stop))
        return moved

    def _cut(self, start: int, stop: int, level: int) -> list[Chunk]:
        if self.tokens(start, stop) <= self._most:
            return [(start, stop)]
        if level == len(self._levels):
            return self._by_tokens(start, stop)
        pieces = self._levels[level](start, stop)
        if len(pieces) == 1:
            return self._cut(start, stop, level + 1)
        found: list[Chunk] = []
        for piece in pieces:
            # What is small is put to what stands before it, also to the rest of something large.
            for part in self._cut(*piece, level + 1):
                if found and self.tokens(found[-1][0], part[1]) <= self._most:
                    found[-1] = (found[-1][0], part[1])
                else:
                    found.append(part)
        return found

    def _by_tokens(self, start: int, stop: int) -> list[Chunk]:
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, stop)
        cuts = [start, *(self._starts[place] for place in range(first + self._most, last, self._most)), stop]
        return self._pieces(cuts)

    def _is_within_token(self, place: int) -> bool:
        number = bisect_left(self._starts, place) - 1
        return number >= 0 and place < self._tokens[number][1]

    def _sections(self, starts: list[int]) -> Level:
        def divide(start: int, stop: int) -> list[Chunk]:
            inner = starts[bisect_right(starts, start) : bisect_left(starts, stop)]
            return self._pieces([start, *inner, stop])

        return divide

    def _between(self, separator: re.Pattern[str], start: int, stop: int) -> list[Chunk]:
        ends = [match.end() for match in separator.finditer(self._text, start, stop)]
        return self._pieces([start, *ends, stop])

    def _pieces(self, cuts: Sequence[int]) -> list[Chunk]:
        return segments(self._text, cuts)


def segments(text: str, cuts: Iterable[int]) -> list[Chunk]:
    """Return what lies between some places of a text, in order, without white space around, and nothing empty."""
    places = sorted({min(max(cut, 0), len(text)) for cut in cuts})
    found = [stripped(text, *pair) for pair in pairwise(places)]
    return [(start, stop) for start, stop in found if start < stop]
