"""Lists as people and programs write them into one value: JSON, Python's tuples and lists, printed arrays, mappings."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections.abc import Mapping

from bakeoff.preparation.row import NumberText


def written_list(value: object) -> list[object] | None:
    """Return the items of a list, however it is written; None when the value is no list.

    Args:
        value: A list; or text that spells one as JSON (`["a", "b"]`), Python (`('a', 'b')`) or a printed array
            (`['a' 'b']`, whose texts stay two and are not joined).
    """
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, str) or isinstance(value, NumberText):
        return None
    text = value.strip()
    read = _read(text) if text[:1] in ("[", "(") else None
    return list(read) if isinstance(read, list | tuple) else None


def written_mapping(value: object) -> Mapping[str, object] | None:
    """Return a mapping, or one that text spells as JSON or Python; None when the value is none."""
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    if not isinstance(value, str) or not value.strip().startswith("{"):
        return None
    read = _read(value.strip())
    return {str(key): item for key, item in read.items()} if isinstance(read, Mapping) else None


def written_text(value: object) -> str | None:
    """Return a value as the text that stands for it, numbers as they are spelled; None when nothing stands there."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _read(text: str) -> object:
    try:
        return json.loads(text, parse_float=NumberText)
    except ValueError:
        pass
    try:
        return ast.literal_eval(_separated(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, tokenize.TokenError):
        return None


def _separated(text: str) -> str:
    """Put a comma between texts that follow each other: Python would join them, a printed array means two."""
    pieces: list[str] = []
    before = -1
    for token in tokenize.generate_tokens(io.StringIO(text.replace("\n", " ")).readline):
        if token.type == before == tokenize.STRING:
            pieces.append(",")
        pieces.append(token.string)
        before = token.type
    return " ".join(pieces).strip()
