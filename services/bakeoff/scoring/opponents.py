"""Whose answer an answer is compared with: a column of the case, its gold answer, or another entrant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bakeoff.domain.benchmark import Case
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext

ITSELF = "it is the opponent itself"


class NoOpponentError(Exception):
    """There is nothing to compare the answer with, for a reason that lies not in the case."""


class Opponent(Protocol):
    """Knows the other answer."""

    def missing(self, case: Case) -> str:
        """Return why a case has no other answer; empty when it has one, or may have one."""

    def is_entrant(self, context: ScoringContext) -> bool:
        """Return whether it is the entrant whose answers are scored."""

    def answer(self, each: AnsweredCase, context: ScoringContext) -> str:
        """Return the other answer.

        Raises:
            NoOpponentError: there is none.
        """


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that the case itself has."""

    of: Callable[[Case], str | None]

    def missing(self, case: Case) -> str:
        """Return a reason when the case has none."""
        return "the case has no answer to compare with" if self.of(case) is None else ""

    def is_entrant(self, context: ScoringContext) -> bool:
        """Return False: nobody gave it."""
        return False

    def answer(self, each: AnsweredCase, context: ScoringContext) -> str:
        """Return it."""
        return self.of(each.case) or ""


@dataclass(frozen=True, slots=True)
class OtherEntrant:
    """What another entrant of the evaluation said to the same case."""

    entrant: str
    """`recipe/mode`."""

    def missing(self, case: Case) -> str:
        """Return nothing: it lies not in the case."""
        return ""

    def is_entrant(self, context: ScoringContext) -> bool:
        """Return whether it is this one."""
        return context.entrant == self.entrant

    def answer(self, each: AnsweredCase, context: ScoringContext) -> str:
        """Return it.

        Raises:
            NoOpponentError: the entrant is this one, is not there, or has no answer.
        """
        if self.is_entrant(context):
            raise NoOpponentError(ITSELF)
        said = context.others.get(self.entrant, {}).get(each.case.case_id)
        if said is None or said.text is None:
            why = f": {said.failure.reason}" if said and said.failure else ""
            raise NoOpponentError(f"{self.entrant or 'the opponent'} has no answer{why}")
        return said.text


def gold_answer(case: Case) -> str | None:
    """Return the first gold answer; None when there is none."""
    return case.expected.answers[0] if case.expected.answers else None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the case, among what is expected or beside it."""

    name: str

    def __call__(self, case: Case) -> str | None:
        """Return its text; None when it has none."""
        found = case.expected.metadata.get(self.name, case.metadata.get(self.name))
        return None if found is None or not str(found).strip() else str(found)
