"""Sentences of a text, by where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bakeoff.domain.answer import Span

END = re.compile(
    r"""
    [.!?…]+[)\]"'”’»]*(?=\s)      # a mark, closed quotes, and then space
    | [。！？]+[」』）”]*          # marks of scripts that put no space between sentences
    | \n\s*(?=\n)                 # an empty line
    | \n(?=[ \t]*(?:[-*+•|>\#]|\d+[.)]\s))  # a line that starts an item, a table's row, a quotation or a heading
    | ^[ \t]*\#[^\n]*(?=\n)  # a heading
    """,
    re.VERBOSE | re.MULTILINE,
)
ABBREVIATION = re.compile(
    r"""
    (?: \b(?:mr|mrs|ms|dr|prof|st|vs|fig|eq|sec|cf|approx|jr|sr|gen|col|capt|e\.g|i\.e)
    | \b[a-z] | \.[a-z]           # initials
    | (?:\A|\n)[ \t]*\d{1,3}      # the number of a list's item
    )\.$
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What ends in a full stop without ending a sentence."""
LONGEST_ABBREVIATION = 8


def sentences(text: str) -> list[Span]:
    """Return the sentences of a text in their order, without the space around them; none is empty.

    A sentence ends at a full stop, question or exclamation mark, and at the borders of paragraphs, list items, table
    rows and headings of Markdown. A single line break within a paragraph ends none.
    """
    return list(_trimmed(text))


def _trimmed(text: str) -> Iterator[Span]:
    start = 0
    for stop in [*_ends(text), len(text)]:
        piece = text[start:stop]
        left = len(piece) - len(piece.lstrip())
        if piece.strip():
            yield Span(start + left, start + len(piece.rstrip()))
        start = stop


def _ends(text: str) -> Iterator[int]:
    for match in END.finditer(text):
        before = text[max(match.end() - LONGEST_ABBREVIATION, 0) : match.end()]
        if not ABBREVIATION.search(before):
            yield match.end()
