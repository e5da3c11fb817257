"""Which column of a row plays which part, for each type of evaluation."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation.row import Row

EvalType = Literal[
    "key1_text_score", "key2_qa", "key2_q_ma", "key3_q_choices_a", "key3_q_choices_as", "key3_q_a_rejected"
]
ROLES = (
    "id", "text", "question", "context", "choices",
    "target", "targets", "label", "labels", "better", "rejected",
)  # fmt: skip
ASKED: Mapping[str, tuple[str, ...]] = {
    "key1_text_score": ("text",),
    "key2_qa": ("question",),
    "key2_q_ma": ("question",),
    "key3_q_choices_a": ("question", "choices"),
    "key3_q_choices_as": ("question", "choices"),
    "key3_q_a_rejected": ("question",),
}
"""Parts that a row must have to be asked, by type of evaluation."""
EXPECTED: Mapping[str, tuple[str, ...]] = {
    "key1_text_score": (),
    "key2_qa": ("target",),
    "key2_q_ma": ("targets",),
    "key3_q_choices_a": ("label",),
    "key3_q_choices_as": ("labels",),
    "key3_q_a_rejected": ("better", "rejected"),
}
"""Parts that say what is expected."""


@dataclass(frozen=True, slots=True)
class RowKeys:
    """Columns by the parts that they play; a part that is not named is looked for under its own name."""

    eval_type: EvalType
    columns: Mapping[str, str | tuple[str, ...]]
    """A column, a path into one such as `answers.0.text` or `contexts.*.text`, or several columns that make a list."""
    expected: bool = True
    """Whether rows say what is expected; false when they are only to be answered."""

    @property
    def needed(self) -> tuple[str, ...]:
        """Parts that every row must have."""
        return ASKED[self.eval_type] + (EXPECTED[self.eval_type] if self.expected else ())

    def absent(self, row: Row) -> list[Violation]:
        """Return a violation for each needed column that the row does not have."""
        return [
            row.violation(column, f"is missing ({self.eval_type} needs {role}); there are: {', '.join(row.values)}")
            for role in self.needed
            for column in self._columns(role)
            if _pick(row.values, column) is _ABSENT
        ]

    def value(self, row: Row, role: str) -> object:
        """Return what plays a part in a row; None when nothing does."""
        found = [_pick(row.values, column) for column in self._columns(role)]
        plain = [None if value is _ABSENT else value for value in found]
        return plain if isinstance(self.columns.get(role), tuple) else plain[0]

    def column(self, role: str) -> str:
        """Return the name, for messages, of the column that plays a part."""
        return ", ".join(self._columns(role))

    def others(self, row: Row) -> dict[str, object]:
        """Return the values of the columns that play no part."""
        taken = {column.partition(".")[0] for role in ROLES for column in self._columns(role)}
        taken |= {column for role in ROLES for column in self._columns(role)}
        return {name: value for name, value in row.values.items() if name not in taken}

    def _columns(self, role: str) -> tuple[str, ...]:
        named = self.columns.get(role, role)
        return named if isinstance(named, tuple) else (named,)


def row_keys(eval_type: EvalType, given: Mapping[str, object], *, expected: bool = True) -> RowKeys:
    """Return the columns that somebody named.

    Args:
        eval_type: Type of evaluation.
        given: A column, or a list of columns, by part.
        expected: Whether rows say what is expected.

    Raises:
        InvalidInputError: a part is not known, or a column is no text; says which, and what is allowed.
    """
    columns: dict[str, str | tuple[str, ...]] = {}
    faults: list[Violation] = []
    for role, named in given.items():
        if role not in ROLES:
            near = difflib.get_close_matches(role, ROLES, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            faults.append(Violation(f"keys.{role}", f"is no known part{hint} (allowed: {', '.join(ROLES)})"))
        elif isinstance(named, str) and named:
            columns[role] = named
        elif isinstance(named, list | tuple) and named and all(isinstance(name, str) and name for name in named):
            columns[role] = tuple(str(name) for name in named)
        else:
            faults.append(Violation(f"keys.{role}", f"must be a column's name or a list of them, not {named!r}"))
    if faults:
        raise InvalidInputError("the columns of the rows cannot be told", faults)
    return RowKeys(eval_type, columns, expected)


_ABSENT = object()


def _pick(value: object, path: str) -> object:
    """Return what a column holds, or what a path leads to; `_ABSENT` when it leads nowhere."""
    if isinstance(value, Mapping) and path in value:
        return value[path]
    head, dot, rest = path.partition(".")
    if head == "*" and isinstance(value, list):
        return [item for item in (_pick(item, rest) if dot else item for item in value) if item is not _ABSENT]
    if isinstance(value, Mapping) and head in value and dot:
        return _pick(value[head], rest)
    if isinstance(value, list) and head.isdecimal() and int(head) < len(value):
        return _pick(value[int(head)], rest) if dot else value[int(head)]
    return _ABSENT
