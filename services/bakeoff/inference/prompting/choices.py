"""Choices of a case: taken from whatever a row holds, lettered for a prompt."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.inference.prompting.plain_values import understood

TEXT_FIELDS = ("text", "texts", "choices")
"""Where a mapping keeps the choices' texts, as in ARC's `{"text": […], "label": […]}`."""
NO_CHOICES = ("",)
"""What stands in for choices that cannot be told: the prompt then shows `A. `, and the row does not fail."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of a case."""

    texts: tuple[str, ...]
    """At least one, in the order of their letters."""
    valid: bool = True
    """False when the value held no choices, and one empty choice stands in; to be counted."""

    @property
    def lettered(self) -> str:
        """A line for each: `A. text`."""
        return "\n".join(f"{letter(index)}. {text}" for index, text in enumerate(self.texts))


def letter(index: int) -> str:
    """Return the tag of a choice: A to Z, and from the 27th on its index from 0 as a number.

    Source: the prior answer generator.
    """
    return string.ascii_uppercase[index] if index < len(string.ascii_uppercase) else str(index)


def normalise_choices(value: object) -> Choices:
    """Return the choices that a value holds.

    Lists, tuples and arrays of texts or numbers; lists of `{"label": …, "text": …}`; mappings from letters or numbers
    to texts, in the order of their letters; mappings with the texts in a list; and the JSON of any of these. Anything
    else, an empty list and a text that is no JSON are not valid, and one empty choice stands in.
    """
    texts = _texts(understood(value))
    return Choices(texts) if texts else Choices(NO_CHOICES, valid=False)


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_text(item) for item in value)
    if isinstance(value, Mapping):
        for field in TEXT_FIELDS:
            held = understood(value.get(field))
            if isinstance(held, list):
                return tuple(_text(item) for item in held)
        return tuple(_text(value[key]) for key in _in_order(list(value)))
    return ()


def _text(item: object) -> str:
    if isinstance(item, Mapping) and "text" in item:
        return str(item["text"])
    return str(item)


def _in_order(keys: Sequence[object]) -> Sequence[object]:
    """Return the keys by letter or number when they are a lettering, else as they stand."""
    by_name = {str(key).strip().upper(): key for key in keys}
    letterings = ([letter(index) for index in range(len(keys))], *(_numbers(start, len(keys)) for start in (0, 1)))
    return next(([by_name[tag] for tag in tags] for tags in letterings if set(tags) == set(by_name)), keys)


def _numbers(start: int, count: int) -> list[str]:
    return [str(number) for number in range(start, start + count)]
