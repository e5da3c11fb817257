"""The same examples for every case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.inference.examples.choosing import NO_POOL, withheld
from bakeoff.inference.examples.pool import ExamplePool
from bakeoff.inference.examples.retriever import Chosen, ExampleRetriever
from bakeoff.inference.registries import example_retrievers
from bakeoff.runtime.registry import Is


@example_retrievers.register("fixed")
def fixed(
    *,
    ids: Annotated[list[int], Is("numbers of the examples in the pool, from 0, in the order in which they are shown")],
    leak_guard: Annotated[bool, Is("leaves out the case itself, by id and by content")] = True,
) -> ExampleRetriever:
    """Show every case the same examples, by their numbers in the pool.

    Raises:
        InvalidInputError: a number is no whole number from 0.
    """
    wrong = [number for number in ids if not isinstance(number, int) or isinstance(number, bool) or number < 0]
    if wrong:
        raise InvalidInputError(f"fixed.ids must be whole numbers from 0, not {wrong[0]!r}")
    return Fixed(tuple(ids), leak_guard)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A retriever that shows what it was told."""

    ids: tuple[int, ...]
    leak_guard: bool

    @property
    def count(self) -> int:
        """Examples for each case."""
        return len(self.ids)

    def check(self, pool: Sequence[Case]) -> list[Violation]:
        """Return each number that is out of range."""
        size = len(ExamplePool.of(pool))
        if not size and self.ids:
            return [Violation("ids", f"is {list(self.ids)}, but {NO_POOL}")]
        return [
            Violation(f"ids[{index}]", f"is {number}, but the pool has {size} examples: 0 to {size - 1} are allowed")
            for index, number in enumerate(self.ids)
            if number >= size
        ]

    def choose(self, case: Case, pool: Sequence[Case], *, position: int | None = None) -> Chosen:
        """Return the examples in their order, without the case itself: that one is not replaced."""
        known = ExamplePool.of(pool)
        violations = self.check(known)
        if violations:
            raise InvalidInputError(f"fixed(ids={list(self.ids)}) cannot be used with this pool", violations)
        forbidden = withheld(case, known, self.leak_guard)
        examples = [known[number] for number in self.ids]
        kept = tuple(example for example in examples if example.case_id not in forbidden)
        return Chosen(kept, len(examples) - len(kept))
