"""What a chunker is: a parsed document in, spans of its characters out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from bakeoff.knowledge.parsing import ParsedDocument

Chunk = tuple[int, int]
"""Characters `[start, stop)` of the text; never empty."""

TOKEN = re.compile(
    # Scripts without spaces between words: a character is a token. Of a word without end, 64 characters are.
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
    r"|[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{1,64}"
    r"|[^\w\s]"
)
"""What chunk sizes count: a word, a Chinese or Japanese character, or a punctuation mark."""


class Chunker(Protocol):
    """Cuts a document's text into chunks; deterministic and thread-safe."""

    def __call__(self, document: ParsedDocument) -> list[Chunk]:
        """Return the chunks in the order of their starts.

        Every character that is no white space is in at least one chunk, no chunk is empty, and each starts after the
        one before it. A text of white space has none.
        """


def tokens_of(text: str, start: int = 0, stop: int | None = None) -> list[Chunk]:
    """Return the spans of the tokens of a text, or of the characters `[start, stop)` of it."""
    return [match.span() for match in TOKEN.finditer(text, start, len(text) if stop is None else stop)]


def windows(spans: Sequence[Chunk], size: int, step: int) -> list[Chunk]:
    """Return windows over spans: each from its first span's start to its last span's stop.

    Args:
        spans: In order.
        size: Spans of a window; the last one may have fewer.
        step: Spans from one window's start to the next, from 1.
    """
    chunks = []
    for first in range(0, len(spans), step):
        last = min(first + size, len(spans))
        chunks.append((spans[first][0], spans[last - 1][1]))
        if last == len(spans):
            break
    return chunks
