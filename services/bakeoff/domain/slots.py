"""Named slots in text: `{name}` is a slot, `{{` and `}}` are literal braces; filled in one pass."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping
from functools import lru_cache

from bakeoff.domain.errors import InvalidInputError

PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
NAME = re.compile(r"\w[\w .-]*")
"""Names of slots: those of columns too, which may hold spaces, dots and hyphens."""


@lru_cache(1024)
def slots_of(template: str) -> tuple[str, ...]:
    """Return the slots of a template, each once, in the order in which they first occur.

    Raises:
        InvalidInputError: a brace stands alone, or what is between two braces is no name.
    """
    return tuple(dict.fromkeys(name for _, name in _pieces(template) if name is not None))


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its slots filled, in one pass: braces within a value are never looked at.

    Args:
        template: Text with slots.
        values: A text for each slot, at least.

    Raises:
        InvalidInputError: a slot has no value; names it and the known ones.
    """
    check_slots(template, values)
    return "".join(literal + ("" if name is None else values[name]) for literal, name in _pieces(template))


def check_slots(template: str, known: Collection[str]) -> None:
    """Check that every slot of a template is known.

    Raises:
        InvalidInputError: one is not, or the template has a lone brace; names the slot and the known ones.
    """
    for name in slots_of(template):
        if name not in known:
            raise InvalidInputError(unknown_slot(name, known))


def unknown_slot(name: str, known: Collection[str]) -> str:
    """Return the message for a slot that nothing fills: its name, the nearest, all known names."""
    near = difflib.get_close_matches(name, sorted(known), n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"nothing fills the slot {name!r}; {hint}known: {', '.join(sorted(known)) or 'none'}"


def literal(text: str) -> str:
    """Return the template that fills to exactly this text: its braces doubled."""
    return text.replace("{", "{{").replace("}", "}}")


@lru_cache(1024)
def _pieces(template: str) -> tuple[tuple[str, str | None], ...]:
    """Return literal texts, each with the slot behind it; the last has none."""
    pieces: list[tuple[str, str | None]] = []
    text, end = "", 0
    for match in PIECE.finditer(template):
        text += template[end : match.start()]
        end = match.end()
        if match.group() in ("{{", "}}"):
            text += match.group()[0]
            continue
        if match.group(1) is None or not NAME.fullmatch(match.group(1)):
            raise InvalidInputError(_no_slot(template, match))
        pieces.append((text, match.group(1)))
        text = ""
    pieces.append((text + template[end:], None))
    return tuple(pieces)


def _no_slot(template: str, match: re.Match[str]) -> str:
    line = template.count("\n", 0, match.start()) + 1
    what = "a lone brace" if match.group(1) is None else "no slot"
    return f"{match.group()!r} in line {line} of the template is {what}; write {{name}}, or {{{{ and }}}} for braces"
