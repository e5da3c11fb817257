"""Cases with choices, as every benchmark of that kind makes them."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

from bakeoff.domain.benchmark import Case, Evidence, Expected, Json
from bakeoff.domain.component import ComponentSpec
from bakeoff.preparation.row import Row

LETTERS = string.ascii_uppercase


def chosen_by(*rules: str) -> tuple[ComponentSpec, ...]:
    """Return how the choice in a generated answer is read: as a careful reader does, and by harnesses' rules.

    Args:
        rules: Names that the evaluator choice_letter knows.
    """
    return (ComponentSpec("choice_accuracy"), *(ComponentSpec("choice_letter", {"rule": rule}) for rule in rules))


def choice_case(
    case_id: str,
    question: str,
    choices: Sequence[str],
    right: int,
    *,
    labels: Mapping[str, str] | None = None,
    contexts: Sequence[str] = (),
    evidence: tuple[Evidence, ...] = (),
    metadata: Json | None = None,
) -> Case:
    """Return a case with one right choice.

    Args:
        case_id: Its id.
        question: What is asked.
        choices: Texts in the order in which they are published.
        right: Index of the right one, from 0; must be one of the choices'.
        labels: What the case may be grouped by.
        contexts: Passages that are given with the question.
        evidence: What the answer rests on.
        metadata: More of the expected answer.
    """
    expected = Expected((choices[right],), evidence, right, metadata or {})
    given: Json = {"choices": list(choices)}
    if contexts:
        given["contexts"] = list(contexts)
    return Case(case_id, question, expected, dict(labels or {}), given)


def index_of_letter(row: Row, column: str, letter: object, count: int) -> int:
    """Return the index, from 0, that a letter stands for.

    Raises:
        InvalidInputError: it is none of the first `count` letters; names the row and what is allowed.
    """
    allowed = LETTERS[:count]
    if isinstance(letter, str) and len(letter.strip()) == 1 and letter.strip().upper() in allowed:
        return allowed.index(letter.strip().upper())
    raise row.fault(column, f"must be one of {', '.join(allowed)}, since there are {count} choices, not {letter!r}")


def index_within(row: Row, column: str, index: object, count: int) -> int:
    """Return an index, from 0, after checking that there is such a choice. Digits as text are taken too.

    Raises:
        InvalidInputError: there is none; names the row and what is allowed.
    """
    number = int(index) if isinstance(index, str) and index.strip().isdecimal() else index
    if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < count:
        return number
    raise row.fault(column, f"must be a whole number from 0 to {count - 1}, not {index!r}")
