"""Chunker: whole sentences, as many as fit."""

from __future__ import annotations

from typing import Annotated

from bakeoff.knowledge.chunking import Chunk, Chunker, tokens_of, windows
from bakeoff.knowledge.parsing import ParsedDocument
from bakeoff.knowledge.registries import chunkers
from bakeoff.knowledge.sentences import sentences_of
from bakeoff.runtime.registry import Is


@chunkers.register("sentences", version="2")
def sentences(
    *,
    max_tokens: Annotated[int, Is("tokens of a chunk at most; a longer sentence is cut", minimum=1)] = 200,
    overlap: Annotated[int, Is("sentences that a chunk shares with the one before", minimum=0)] = 0,
) -> Chunker:
    """Fill chunks with whole sentences."""

    def chunk(document: ParsedDocument) -> list[Chunk]:
        text = document.text
        pieces = [piece for sentence in sentences_of(text) for piece in _pieces(text, sentence, max_tokens)]
        return _packed(pieces, max_tokens, overlap)

    return chunk


Piece = tuple[Chunk, int]
"""A sentence or a part of one, and its tokens."""


def _packed(pieces: list[Piece], max_tokens: int, overlap: int) -> list[Chunk]:
    """Return chunks of consecutive pieces, each as long as fits."""
    chunks: list[Chunk] = []
    first = last = 0
    while last < len(pieces):
        tokens = sum(piece[1] for piece in pieces[first:last])
        while last < len(pieces) and tokens + pieces[last][1] <= max_tokens:
            tokens += pieces[last][1]
            last += 1
        chunks.append((pieces[first][0][0], pieces[last - 1][0][1]))
        first = _shared(pieces, last, max_tokens, overlap)
    return chunks


def _shared(pieces: list[Piece], last: int, max_tokens: int, overlap: int) -> int:
    """Return where the next chunk begins: `overlap` pieces back, or fewer so that a new piece fits in."""
    if last == len(pieces):
        return last
    first, tokens = last, pieces[last][1]
    while first > max(0, last - overlap) and tokens + pieces[first - 1][1] <= max_tokens:
        first -= 1
        tokens += pieces[first][1]
    return first


def _pieces(text: str, sentence: Chunk, max_tokens: int) -> list[Piece]:
    """Return a sentence as spans of at most so many tokens, each with its tokens counted."""
    spans = tokens_of(text, *sentence)
    if len(spans) <= max_tokens:
        return [(sentence, len(spans))]
    cut = windows(spans, max_tokens, max_tokens)
    return [(piece, min(max_tokens, len(spans) - number * max_tokens)) for number, piece in enumerate(cut)]
