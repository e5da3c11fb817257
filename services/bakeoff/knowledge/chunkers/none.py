"""Chunker: a document is a chunk."""

from __future__ import annotations

from bakeoff.knowledge.chunking import Chunk, Chunker
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.registries import chunkers


@chunkers.register("none")
def none() -> Chunker:
    """Leave documents whole."""

    def chunk(document: ParsedDocument) -> list[Chunk]:
        text = document.text
        return [(0, len(text))] if text and not text.isspace() else []

    return chunk
