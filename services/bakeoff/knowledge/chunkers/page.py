"""Chunker: a page is a chunk."""

from __future__ import annotations

from typing import Annotated

from bakeoff.knowledge.chunking import Chunk, Chunker
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.registries import chunkers
from bakeoff.knowledge.structural_cuts import Cutter, segments
from bakeoff.runtime.registry import Is


@chunkers.register("page")
def page(
    *, max_tokens: Annotated[int | None, Is("tokens of a chunk at most; none: pages stay whole", minimum=1)] = None
) -> Chunker:
    """Cut at the ends of pages and slides; a document without pages is one."""

    def chunk(document: ParsedDocument) -> list[Chunk]:
        text = document.text
        pages = segments(text, [0, *(each.start for each in document.page_spans or ()), len(text)])
        if max_tokens is None:
            return pages
        cutter = Cutter(text, max_tokens, document.headings)
        return [piece for each in pages for piece in cutter.cut(*each)]

    return chunk
