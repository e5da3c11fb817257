"""The answer as a template shows it: the right one in an example, nothing in the question that is asked."""

from __future__ import annotations

import json
from dataclasses import dataclass

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.prompting.choices import letter, normalise_choices
from bakeoff.inference.prompting.plain_values import text_of


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """What the answer slots of one rendering hold."""

    answer: str = ""
    """The letter of the right choice, several joined by `, `; without choices the answer's text."""
    text: str = ""
    """The answer in words: of a choice its text."""
    letters: str = "[]"
    """Letters of the right choices as JSON, such as `["A","C"]`."""
    column: str | None = None
    """What columns that hold the answer show; None means their own value."""


BLANK = ShownAnswer(column="")
"""Of the question that is asked: the text round the slots stays."""


def labelled(label: str) -> ShownAnswer:
    """Return a given answer, for likelihood scoring."""
    return ShownAnswer(label, label, json.dumps([label], ensure_ascii=False), label)


def gold_answer(case: Case) -> ShownAnswer:
    """Return the right answer of a case, the first where several are right; empty when it has none.

    Raises:
        InvalidInputError: the index of the right choice is not among the choices; names the case.
    """
    text = case.expected.answers[0] if case.expected.answers else ""
    if "choices" in case.metadata:
        indexes = _right_choices(case)
        if indexes:
            texts = normalise_choices(case.metadata["choices"]).texts
            letters = [letter(index) for index in indexes]
            written = json.dumps(letters, separators=(",", ":"))
            return ShownAnswer(", ".join(letters), ", ".join(texts[index] for index in indexes), written)
    if not text:
        better = case.expected.metadata.get("better")
        text = text_of(case.expected.value if better is None else better)
    return ShownAnswer(text, text)


def _right_choices(case: Case) -> tuple[int, ...]:
    texts = normalise_choices(case.metadata["choices"]).texts
    value = case.expected.value
    given = value if isinstance(value, list | tuple) else [] if value is None else [value]
    indexes = tuple(index for index in given if isinstance(index, int) and not isinstance(index, bool))
    if not indexes:
        # Told by their texts, when these can be told apart.
        return tuple(texts.index(answer) for answer in case.expected.answers if texts.count(answer) == 1)
    wrong = [index for index in indexes if not 0 <= index < len(texts)]
    if wrong:
        raise InvalidInputError(
            f"case {case.case_id!r}: expected.value names the choice {wrong[0]}; "
            f"it has {len(texts)} choices, so 0 to {len(texts) - 1} are allowed"
        )
    return indexes
