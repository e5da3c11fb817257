"""The JSON in an answer."""

from __future__ import annotations

import json
import re

FENCE = re.compile(r"\s*```(?:json|JSON)?[ \t]*\n(?P<inside>.*?)\n?[ \t]*```\s*", re.DOTALL)


class NotJsonError(ValueError):
    """An answer is no JSON; the message says where it goes wrong."""


def json_of(text: str, *, fenced: bool) -> object:
    """Return the JSON value that an answer is; nothing but white space may stand around it.

    Args:
        text: The answer.
        fenced: Whether one Markdown fence around it is overlooked.

    Raises:
        NotJsonError: it is none. NaN and Infinity are no JSON, nor is an object that has a key twice.
    """
    fence = FENCE.fullmatch(text) if fenced else None
    try:
        return json.loads(fence["inside"] if fence else text, parse_constant=_refuse, object_pairs_hook=_unique)
    except RecursionError as error:
        raise NotJsonError("it is nested too deeply") from error
    except ValueError as error:
        raise NotJsonError(str(error)) from error


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON value")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found
