"""Values as people write them in tables, taken apart: JSON strings, arrays and tuples are what they stand for."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping


def understood(value: object) -> object:
    """Return a value as plain lists, mappings, text, numbers, booleans or None.

    Tuples and arrays become lists, a text that holds a JSON array or object becomes that, NaN becomes None. Anything
    else stays.
    """
    if isinstance(value, str):
        return _decoded(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, tuple):
        return list(value)
    to_list = getattr(value, "tolist", None)  # numpy and pyarrow, which a row may come from
    if callable(to_list):
        return understood(to_list())
    return dict(value) if isinstance(value, Mapping) else value


def text_of(value: object) -> str:
    """Return a value in a template: text as it is, nothing for None and NaN, JSON for booleans, lists and mappings."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool | list | tuple | Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _decoded(text: str) -> object:
    if not text.lstrip().startswith(("[", "{")):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
