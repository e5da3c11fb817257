"""What an example retriever is: it chooses solved cases to be shown with a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import Violation


@dataclass(frozen=True, slots=True)
class Chosen:
    """Examples for one case."""

    examples: tuple[Case, ...] = ()
    """In the order in which they are shown."""
    excluded: int = 0
    """Examples that were withheld since they are the case itself, by id or by content."""


class ExampleRetriever(Protocol):
    """Chooses examples. Called from several threads at once.

    The choice depends on the settings, the case and the pool: never on which cases were asked before.
    """

    @property
    def count(self) -> int:
        """Examples that it shows each case, unless some are withheld; 0 means that it needs no pool."""

    def check(self, pool: Sequence[Case]) -> list[Violation]:
        """Return what can be seen to be wrong before a run; empty when nothing.

        Args:
            pool: The cases that may be shown.
        """

    def choose(self, case: Case, pool: Sequence[Case], *, position: int | None = None) -> Chosen:
        """Return the examples of a case.

        Args:
            case: What is asked.
            pool: The cases that may be shown; an `ExamplePool` saves work where many are asked.
            position: Row of the case in its benchmark, from 0; None is not known. Only a legacy draw looks at it.

        Raises:
            InvalidInputError: the pool has too few examples, or not the ones that are named.
        """
