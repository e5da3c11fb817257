"""Chunker: a section is a chunk."""

from __future__ import annotations

import re
from typing import Annotated

from bakeoff.knowledge.chunking import Chunk, Chunker
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.registries import chunkers
from bakeoff.knowledge.structural_cuts import Cutter, segments
from bakeoff.knowledge.structure import Heading
from bakeoff.runtime.registry import Is

MARKED = re.compile(r"^ {0,3}(?:(#{1,6})(?=[ \t]|$)|(`{3,}|~{3,}))", re.MULTILINE)
"""A heading in Markdown's signs, or the begin or end of code, in which there are none."""


@chunkers.register("headings")
def headings(
    *,
    depth: Annotated[int, Is("levels of headings that begin a chunk", minimum=1, maximum=9)] = 6,
    max_tokens: Annotated[int | None, Is("tokens of a chunk at most; none: sections stay whole", minimum=1)] = None,
) -> Chunker:
    """Cut before headings, those of the parser or, where it knows none, those in Markdown's signs.

    What stands before the first heading is a section too.
    """

    def chunk(document: ParsedDocument) -> list[Chunk]:
        text = document.text
        known = document.headings or marked(text)
        sections = segments(text, [0, *(each.start for each in known if each.level <= depth), len(text)])
        if max_tokens is None:
            return sections
        cutter = Cutter(text, max_tokens, known)
        return [piece for section in sections for piece in cutter.cut(*section)]

    return chunk


def marked(text: str) -> tuple[Heading, ...]:
    """Return the headings of Markdown that is not rendered."""
    found = []
    fence = ""
    for match in MARKED.finditer(text):
        signs, mark = match.groups()
        if mark and not fence:
            fence = mark
        elif mark and mark.startswith(fence):
            fence = ""
        elif signs and not fence:
            found.append(Heading(match.start(1), len(signs)))
    return tuple(found)
