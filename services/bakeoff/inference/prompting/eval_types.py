"""The six evaluation types of question rows: which of them get answers, and by which built-in template."""

from __future__ import annotations

import difflib
from enum import StrEnum

from bakeoff.domain.errors import InvalidInputError


class EvalType(StrEnum):
    """What a row holds, and so how its answer is judged."""

    TEXT_SCORE = "key1_text_score"
    """A text, whose likelihood is measured."""
    QA = "key2_qa"
    """A question and its answer."""
    MANY_ANSWERS = "key2_q_ma"
    """A question and several answers, any of which is right."""
    SINGLE_CHOICE = "key3_q_choices_a"
    """A question, choices, and the right one."""
    MULTIPLE_CHOICE = "key3_q_choices_as"
    """A question, choices, and the right ones."""
    PREFERENCE = "key3_q_a_rejected"
    """A question, a better and a rejected answer."""


GENERATED = frozenset({EvalType.QA, EvalType.MANY_ANSWERS, EvalType.MULTIPLE_CHOICE})
"""Get answers unless told otherwise; the others are judged by likelihood."""
WITH_CHOICES = frozenset({EvalType.SINGLE_CHOICE, EvalType.MULTIPLE_CHOICE})


def eval_type_of(name: str) -> EvalType:
    """Return the evaluation type of a name.

    Raises:
        InvalidInputError: there is none of that name; the message has all six.
    """
    known = [member.value for member in EvalType]
    if name in known:
        return EvalType(name)
    near = difflib.get_close_matches(str(name), known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise InvalidInputError(f"no evaluation type is named {name!r}; {hint}known: {', '.join(known)}")


def needs_generation(eval_type: str, force_generate: bool = False) -> bool:
    """Return whether rows of an evaluation type get answers.

    Args:
        eval_type: One of the six names.
        force_generate: Also for the types that are judged by likelihood; a text to be scored never gets an answer.

    Raises:
        InvalidInputError: the evaluation type is unknown.
    """
    known = eval_type_of(eval_type)
    return known in GENERATED or (force_generate and known is not EvalType.TEXT_SCORE)


def built_in_template(eval_type: str) -> str:
    """Return the name of the built-in template that asks rows of an evaluation type.

    Raises:
        InvalidInputError: the evaluation type is unknown.
    """
    match eval_type_of(eval_type):
        case EvalType.SINGLE_CHOICE:
            return "single_choice"
        case EvalType.MULTIPLE_CHOICE:
            return "multiple_choice"
        case _:
            return "question"
