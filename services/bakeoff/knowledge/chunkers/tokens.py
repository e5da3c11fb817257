"""Chunker: windows of a fixed number of tokens."""

from __future__ import annotations

from typing import Annotated

from bakeoff.knowledge.chunking import Chunk, Chunker, tokens_of, windows
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.registries import chunkers
from bakeoff.runtime.registry import Is


@chunkers.register("tokens", version="2")
def tokens(
    *,
    size: Annotated[int, Is("tokens of a chunk: words and punctuation marks", minimum=1)] = 200,
    overlap: Annotated[int, Is("tokens that a chunk shares with the one before", minimum=0, below="size")] = 0,
) -> Chunker:
    """Cut after every so many tokens."""

    def chunk(document: ParsedDocument) -> list[Chunk]:
        return windows(tokens_of(document.text), size, size - overlap)

    return chunk
