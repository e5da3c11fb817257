"""What a case says of its choices and of the right ones."""

from __future__ import annotations

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError


def no_choices(case: Case) -> str:
    """Return a reason when a case has no choices; empty when it has some."""
    return "" if case.metadata.get("choices") else "the case has no choices"


def no_right_choice(case: Case) -> str:
    """Return a reason when a case has no choices, or not one right choice; empty when it has."""
    value = case.expected.value
    single = isinstance(value, int) and not isinstance(value, bool)
    return no_choices(case) or ("" if single else "the case has no single right choice")


def no_right_choices(case: Case) -> str:
    """Return a reason when a case has no choices, or no set of right ones; empty when it has."""
    several = isinstance(case.expected.value, list | tuple)
    return no_choices(case) or ("" if several else "the case has no set of right choices")


def right_choices(case: Case, count: int) -> set[int]:
    """Return the places of the right choices, from 0; of a single choice, a set of one.

    Args:
        case: A case for which `no_right_choice` or `no_right_choices` has no reason.
        count: How many choices it has.

    Raises:
        InvalidInputError: the expected value is no place of a choice, or has one twice.
    """
    value = case.expected.value
    rows = list(value) if isinstance(value, list | tuple) else [value]
    places = {row for row in rows if isinstance(row, int) and not isinstance(row, bool) and 0 <= row < count}
    if len(places) < len(rows):
        raise InvalidInputError(
            f"case {case.case_id!r}: expected.value {value!r} must be different places among {count} choices "
            f"(allowed: 0 to {count - 1})"
        )
    return places
