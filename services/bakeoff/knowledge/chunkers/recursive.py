"""Chunker: by structure, as far down as sizes need."""

from __future__ import annotations

from typing import Annotated

from bakeoff.knowledge.chunking import Chunk, Chunker
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.registries import chunkers
from bakeoff.knowledge.structural_cuts import Cutter
from bakeoff.runtime.registry import Is


@chunkers.register("recursive")
def recursive(
    *,
    max_tokens: Annotated[int, Is("tokens of a chunk at most, the overlap among them", minimum=1)] = 200,
    overlap: Annotated[int, Is("tokens that a chunk shares with the one before", minimum=0, below="max_tokens")] = 0,
) -> Chunker:
    """Cut at headings, then at paragraphs, lines, sentences and tokens, each only where a piece is still too large."""

    def chunk(document: ParsedDocument) -> list[Chunk]:
        cutter = Cutter(document.text, max_tokens - overlap, document.headings)
        chunks = cutter.cut(0, len(document.text))
        return cutter.overlapping(chunks, overlap) if overlap else chunks

    return chunk
