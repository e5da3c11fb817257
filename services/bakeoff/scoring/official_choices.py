"""How the unified bench evaluator reads choices out of an answer, with what it gets wrong."""

from __future__ import annotations

import json
import re

LETTER = re.compile(r"\b([A-Za-z])\b")
NUMBER = re.compile(r"\b(\d+)\b")


def first_choice(text: str, count: int) -> int | None:
    """Return the choice of the first single letter, or else of the first number; None when neither is one.

    So `I think B` has none, and `a good answer is C` takes A. A number counts from 0, and from 1 only where it is too
    large for that.

    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, key3_q_choices_a without a model.
    """
    letter = LETTER.search(text)
    if letter and (row := _of_letter(letter[1], count)) is not None:
        return row
    number = NUMBER.search(text)
    return _of_number(int(number[1]), count) if number else None


def choice_set(text: str, count: int) -> set[int] | None:
    """Return the choices of a JSON list, or else of all single letters, or else of all numbers; None when none are.

    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, key3_q_choices_as.
    """
    stripped = text.strip()
    listed = _json_list(stripped)
    if listed is not None:
        return {row for item in listed if (row := label_index(item, count)) is not None}
    if letters := LETTER.findall(stripped):
        return {row for letter in letters if (row := _of_letter(letter, count)) is not None} or None
    numbers = {_of_number(int(number), count) for number in NUMBER.findall(stripped)}
    return {row for row in numbers if row is not None} or None


def _json_list(text: str) -> list[object] | None:
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def label_index(label: object, count: int) -> int | None:
    """Return the place of a gold label: a number from 0, or else from 1, a letter, or digits; None when it is none.

    True is 1. Fractions, `"1.0"` and a choice's text are none.

    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, labels of key3_q_choices_a and key3_q_choices_as.
    """
    if isinstance(label, int):
        return _of_number(int(label), count)
    if not isinstance(label, str):
        return None
    bare = label.strip()
    if len(bare) == 1 and bare.isalpha():
        return _of_letter(bare, count)
    return _of_number(int(bare), count) if bare.isdecimal() else None


def label_set(labels: object, count: int) -> set[int] | None:
    """Return the places of gold labels: a list, or a text split at `,` `;` `/` `|` and white space; None for None.

    What is no label is dropped without a word.

    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, labels of key3_q_choices_as.
    """
    if labels is None:
        return None
    items = re.split(r"[,;/|\s]+", labels.strip()) if isinstance(labels, str) else labels
    if not isinstance(items, list | tuple):
        items = [items]
    return {row for item in items if (row := label_index(item, count)) is not None}


def _of_letter(letter: str, count: int) -> int | None:
    row = ord(letter.upper()) - ord("A")
    return row if 0 <= row < count else None


def _of_number(number: int, count: int) -> int | None:
    if 0 <= number < count:
        return number
    return number - 1 if number == count else None
