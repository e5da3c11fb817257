"""What fills the slots of a template for one case."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Passage
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.slots import unknown_slot
from bakeoff.inference.prompting.answers import BLANK, ShownAnswer
from bakeoff.inference.prompting.choices import Choices, letter, normalise_choices
from bakeoff.inference.prompting.contexts import context_items, normalise_context, numbered, numbered_passages
from bakeoff.inference.prompting.eval_types import WITH_CHOICES
from bakeoff.inference.prompting.plain_values import text_of


@dataclass(frozen=True, slots=True)
class Material:
    """All that one rendering of a template may show."""

    case: Case
    shown: ShownAnswer = BLANK
    passages: Sequence[Passage] = ()
    examples: str = ""
    """The rendered examples, each with its separator."""
    answer_columns: frozenset[str] = frozenset()
    """Columns that hold the answer, and are blank in the question that is asked."""


def _choices(material: Material) -> Choices | None:
    return choices_of(material.case)


def _choices_json(material: Material) -> str:
    choices = _choices(material)
    return "" if choices is None else json.dumps(list(choices.texts), ensure_ascii=False)


def _choices_text(material: Material) -> str:
    choices = _choices(material)
    return "" if choices is None else choices.lettered


def _contexts(material: Material) -> object:
    return material.case.metadata.get("contexts")


SLOTS: Mapping[str, Callable[[Material], str]] = {
    "question": lambda material: material.case.query,
    "question_trimmed": lambda material: material.case.query.strip(),
    "context": lambda material: normalise_context(_contexts(material)) or "",
    "contexts": lambda material: numbered(context_items(_contexts(material))),
    "choices": _choices_json,
    "choices_text": _choices_text,
    "answer": lambda material: material.shown.answer,
    "answer_text": lambda material: material.shown.text,
    "answer_letters": lambda material: material.shown.letters,
    "passages": lambda material: numbered_passages(material.passages),
    "examples": lambda material: material.examples,
}
"""The slots that every case fills; the others are the case's columns."""


def choices_of(case: Case) -> Choices | None:
    """Return the choices of a case; None when it is no question with choices."""
    if "choices" in case.metadata or case.metadata.get("eval_type") in WITH_CHOICES:
        return normalise_choices(case.metadata.get("choices"))
    return None


def column_names(case: Case) -> frozenset[str]:
    """Return the slots that only some cases fill: metadata, labels, what is told of the answer, choices by letter."""
    choices = choices_of(case)
    letters = [letter(index) for index in range(min(len(choices.texts), 26))] if choices else []
    return frozenset([*case.metadata, *case.labels, *case.expected.metadata, *letters])


def columns_of(cases: Iterable[Case]) -> frozenset[str]:
    """Return the columns that every one of the cases has; empty when there are no cases."""
    shared: frozenset[str] | None = None
    for case in cases:
        shared = column_names(case) if shared is None else shared & column_names(case)
    return shared or frozenset()


def known_slots(columns: Iterable[str] = ()) -> frozenset[str]:
    """Return the names of all slots there are, with those of columns."""
    return frozenset(SLOTS) | frozenset(columns)


def slot_values(material: Material, names: Iterable[str]) -> dict[str, str]:
    """Return the text of each slot.

    A built-in slot comes before a column of its name; of the columns, metadata come before labels, then what is told of
    the answer, such as its solution, then the letters of the choices.

    Args:
        material: What may be shown.
        names: The slots of a template.

    Raises:
        InvalidInputError: the case has no such column; names the slot, the case and the known slots.
    """
    return {name: SLOTS[name](material) if name in SLOTS else _column(material, name) for name in names}


def _column(material: Material, name: str) -> str:
    case = material.case
    if name in material.answer_columns and material.shown.column is not None:
        return material.shown.column
    for columns in (case.metadata, case.labels):
        if name in columns:
            return text_of(columns[name])
    if name in case.expected.metadata:
        blank_or_label = material.shown.column
        return text_of(case.expected.metadata[name]) if blank_or_label is None else blank_or_label
    choices = choices_of(case)
    tags = {letter(index): text for index, text in enumerate(choices.texts[:26])} if choices else {}
    if name not in tags:
        raise InvalidInputError(f"case {case.case_id!r}: {unknown_slot(name, known_slots(column_names(case)))}")
    return tags[name]
