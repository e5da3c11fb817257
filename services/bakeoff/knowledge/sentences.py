"""Where sentences end."""

from __future__ import annotations

import re

from bakeoff.knowledge.chunking import Chunk

END = re.compile(
    r"[.!?…]+[\"'”’)\]]*(?=\s)"  # a mark with what closes behind it, before white space
    r"|[。！？]+[”’」』）]*"  # scripts without spaces
    r"|\n[^\S\n]*\n"  # an empty line ends whatever it follows
)
NO_END = re.compile(
    r"(?:^|[\s(\[])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|etc|e\.g|i\.e|cf|al|Fig|Figs|Eq|Vol|pp?|approx|ca)\.$"
)
"""Abbreviations and initials, whose full stop ends no sentence."""
LONGEST_ABBREVIATION = 8
"""Characters before a full stop that are looked at; more than the longest one above with its bracket."""


def sentences_of(text: str) -> list[Chunk]:
    """Return the spans of the sentences of a text, without the white space around them."""
    found = []
    start = 0
    for match in END.finditer(text):
        if NO_END.search(text, max(start, match.end() - LONGEST_ABBREVIATION), match.end()):
            continue
        found.append((start, match.end()))
        start = match.end()
    found.append((start, len(text)))
    return [span for span in (stripped(text, *span) for span in found) if span[0] < span[1]]


def stripped(text: str, start: int, stop: int) -> Chunk:
    """Return a span without the white space at its ends; one of white space comes out empty."""
    inner = text[start:stop]
    return start + len(inner) - len(inner.lstrip()), stop - len(inner) + len(inner.rstrip())
