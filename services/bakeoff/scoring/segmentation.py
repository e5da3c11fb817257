"""Text cut into segments as the reading-comprehension scripts for Chinese and English do."""

from __future__ import annotations

import re
import string

SPECIAL = frozenset("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")
"""Marks that are a segment of their own. The scripts' list also has a two-character ellipsis, which matches nothing."""
DROPPED = SPECIAL | frozenset(string.punctuation)
IDEOGRAPH = re.compile("[\u4e00-\u9fa5]")
PIECE = re.compile(r"""\.{3}|[?!;@#$%&()\[\]{}<>"]|,(?!\d)|(?:(?!\.{3})[^\s?!;@#$%&()\[\]{}<>",]|,(?=\d))+""")
"""A word with its inner full stops, commas before digits and apostrophes, or a mark."""
CLITIC = re.compile(r"(.*[^'])('s|'m|'d|'ll|'re|'ve|n't|')", re.IGNORECASE)


def treebank_words(text: str) -> list[str]:
    """Return the words and marks of a text by the Penn Treebank's rules.

    Only the last full stop is a mark of its own; `n't`, `'s` and their like are words.

    Source: Marcus et al. 1993, "Building a Large Annotated Corpus of English"; the tokenizer that NLTK's word_tokenize
    rests on, without its splitting into sentences.
    """
    pieces = [part for piece in PIECE.findall(text) for part in _without_clitic(piece)]
    last = next((row for row in range(len(pieces) - 1, -1, -1) if pieces[row] not in tuple(")]}>\"'")), None)
    if last is not None and re.fullmatch(r".*[^.]\.", pieces[last]):
        pieces[last : last + 1] = [pieces[last][:-1], "."]
    return pieces


def _without_clitic(piece: str) -> list[str]:
    clitic = CLITIC.fullmatch(piece)
    return list(clitic.groups()) if clitic else [piece]


def mixed_segments(text: str) -> list[str]:
    """Return ideographs and special marks one by one, and the words between them.

    Source: Cui et al. 2019, "CMRC 2018", arXiv:1810.07366, and its evaluation script.
    """
    segments: list[str] = []
    start = 0
    for place, mark in enumerate(text):
        if mark in SPECIAL or IDEOGRAPH.match(mark):
            segments += [*treebank_words(text[start:place]), mark]
            start = place + 1
    return segments + treebank_words(text[start:])


def longest_common_run(one: list[str], other: list[str]) -> int:
    """Return the length of the longest run of segments that stands in both."""
    best = 0
    before = [0] * (len(other) + 1)
    for segment in one:
        now = [0, *(before[place] + 1 if segment == match else 0 for place, match in enumerate(other))]
        best, before = max(best, *now), now
    return best
