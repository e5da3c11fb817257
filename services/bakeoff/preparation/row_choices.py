"""The choices of a row, and which of them a label means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from bakeoff.preparation.choice_cases import LETTERS
from bakeoff.preparation.row import NumberText
from bakeoff.preparation.written_lists import written_list, written_mapping, written_text

LabelBase = Literal["auto", "letter", "0", "1", "text"]
BETWEEN_LABELS = re.compile(r"[,;/|\s]+")


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of a row."""

    texts: tuple[str, ...]
    names: tuple[str, ...] = ()
    """What the row calls them, such as `1` to `4`; empty when it does not name them."""


def read_choices(value: object) -> Choices | None:
    """Return the choices that a value holds; None when it holds none.

    Args:
        value: A list of texts, or of mappings with `text` and `label`; a mapping of such lists; a mapping of texts by
            their names; or text that spells one of these.
    """
    mapping = written_mapping(value)
    if mapping is not None:
        texts, labels = written_list(mapping.get("text")), written_list(mapping.get("label"))
        if texts is not None and labels is not None:
            return _choices(texts, labels)
        return _choices(list(mapping.values()), list(mapping))
    items = written_list(value)
    if items is None:
        return None
    if items and all(isinstance(item, Mapping) and "text" in item for item in items):
        parts = [item for item in items if isinstance(item, Mapping)]
        names = [item["label"] for item in parts if "label" in item]
        return _choices([item["text"] for item in parts], names)
    return _choices(items, [])


def _choices(items: list[object], names: list[object]) -> Choices | None:
    if not items or (names and len(names) != len(items)):
        return None
    # An absent choice keeps its place, or all labels behind it would mean another one.
    return Choices(tuple(written_text(item) or "" for item in items), tuple(str(name) for name in names))


def label_index(label: object, choices: Choices, base: LabelBase = "auto") -> int:
    """Return the index, from 0, of the choice that a label means.

    Args:
        label: A letter, a number, a name that the row gives, or the text of a choice.
        choices: The row's.
        base: How labels are meant; `auto` takes letters, numbers from 0 and texts, and refuses what two of these
            understand differently.

    Raises:
        ValueError: it means none of the choices, or not one of them; the message says what is allowed.
    """
    if str(label) in choices.names and base == "auto":
        return choices.names.index(str(label))
    found = set(_readings(label, choices.texts, base))
    if len(found) == 1:
        return found.pop()
    count = len(choices.texts)
    if found:
        places = " or ".join(str(index) for index in sorted(found))
        raise ValueError(f"{label!r} may mean choice {places} (from 0); say how labels are meant by label_base")
    hint = '; if labels count from 1, set label_base="1"' if _number(label) == count and base == "auto" else ""
    raise ValueError(f"{label!r} is none of the {count} choices; allowed: {_allowed(choices, base)}{hint}")


def label_indexes(labels: object, choices: Choices, base: LabelBase = "auto") -> list[int]:
    """Return the indexes, sorted, of the choices that several labels mean.

    Args:
        labels: A list of labels; text that spells one; or text with labels between `,`, `;`, `/`, `|` or spaces.
        choices: The row's.
        base: As of `label_index`.

    Raises:
        ValueError: as of `label_index`, for any of them.
    """
    items = written_list(labels)
    if items is None:
        try:
            return [label_index(labels, choices, base)]
        except ValueError:
            parts = [part for part in BETWEEN_LABELS.split(str(labels)) if part]
            if len(parts) < 2:
                raise
            items = list(parts)
    return sorted({label_index(item, choices, base) for item in items})


def _readings(label: object, texts: tuple[str, ...], base: LabelBase) -> Iterator[int]:
    number = _number(label)
    first = 1 if base == "1" else 0
    if base in ("auto", "0", "1") and number is not None and first <= number < len(texts) + first:
        yield number - first
    if base in ("auto", "letter") and isinstance(label, str):
        letter = label.strip(" ().:").upper()
        if len(letter) == 1 and letter in LETTERS[: len(texts)]:
            yield LETTERS.index(letter)
    if base in ("auto", "text"):
        wanted = (written_text(label) or "").strip()
        same = [index for index, text in enumerate(texts) if text.strip() == wanted]
        alike = [index for index, text in enumerate(texts) if text.strip().casefold() == wanted.casefold()]
        yield from (same or alike)[:1]


def _number(label: object) -> int | None:
    if isinstance(label, int):  # true and false are 1 and 0, as in sets of yes and no
        return int(label)
    if isinstance(label, str):
        digits = label.strip()
        if isinstance(label, NumberText):
            digits = re.sub(r"\.0+$", "", digits)  # a column of numbers with gaps is written 1.0, 2.0
        return int(digits) if digits.isdecimal() else None
    return None


def _allowed(choices: Choices, base: LabelBase) -> str:
    count = len(choices.texts)
    ways = {
        "letter": f"A to {LETTERS[min(count, len(LETTERS)) - 1]}",
        "0": f"0 to {count - 1}",
        "1": f"1 to {count}",
        "text": "the text of a choice",
    }
    if base != "auto":
        return ways[base]
    names = [f"the names {', '.join(choices.names)}"] if choices.names else []
    return ", ".join([ways["letter"], ways["0"], *names, ways["text"]])
