"""Examples at random, other ones for each case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.inference.examples.choosing import enough, first_allowed, withheld
from bakeoff.inference.examples.draws import LegacyOrders, random_order
from bakeoff.inference.examples.pool import ExamplePool
from bakeoff.inference.examples.retriever import Chosen, ExampleRetriever
from bakeoff.inference.registries import example_retrievers
from bakeoff.runtime.registry import Is

LARGEST_SEED = 2**32 - 1
"""What numpy's RandomState takes."""


@example_retrievers.register("random")
def random(
    *,
    k: Annotated[int, Is("examples for each case", minimum=0)],
    seed: Annotated[int, Is("with the case id, what the choice depends on", minimum=0, maximum=LARGEST_SEED)] = 43,
    legacy: Annotated[bool, Is("draws as the prior system did: by the row of the case, not by its id")] = False,
    leak_guard: Annotated[bool, Is("leaves out the case itself, by id and by content")] = True,
) -> ExampleRetriever:
    """Show each case examples drawn at random without replacement, by the seed and the case id alone."""
    return LegacyRandom(k, leak_guard, LegacyOrders(seed)) if legacy else RandomDraw(k, seed, leak_guard)


@dataclass(frozen=True, slots=True)
class RandomDraw:
    """A retriever that draws by seed and case id."""

    count: int
    """Examples for each case."""
    seed: int
    leak_guard: bool

    def check(self, pool: Sequence[Case]) -> list[Violation]:
        """Return whether there are too few examples."""
        return enough(self.count, ExamplePool.of(pool).distinct)

    def choose(self, case: Case, pool: Sequence[Case], *, position: int | None = None) -> Chosen:
        """Return examples in the order in which they were drawn."""
        known = ExamplePool.of(pool)
        drawn = (known.distinct[index] for index in random_order(self.seed, case.case_id, len(known.distinct)))
        forbidden = withheld(case, known, self.leak_guard)
        return first_allowed(self.count, drawn, forbidden, case=case, available=len(known.distinct))


@dataclass(frozen=True, slots=True)
class LegacyRandom:
    """A retriever that draws by the row of the case, from the whole pool in its order.

    Where the case itself is drawn, the guard takes the next of the same draw; all other examples stay what they were.
    """

    count: int
    """Examples for each case."""
    leak_guard: bool
    orders: LegacyOrders = field(compare=False)

    def check(self, pool: Sequence[Case]) -> list[Violation]:
        """Return whether there are too few examples."""
        return enough(self.count, ExamplePool.of(pool))

    def choose(self, case: Case, pool: Sequence[Case], *, position: int | None = None) -> Chosen:
        """Return examples in the order in which they were drawn."""
        if position is None:
            raise InvalidInputError(f"case {case.case_id!r}: random(legacy=true) needs the row of the case")
        known = ExamplePool.of(pool)
        drawn = (known[int(index)] for index in self.orders.order(position, len(known)))
        forbidden = withheld(case, known, self.leak_guard)
        return first_allowed(self.count, drawn, forbidden, case=case, available=len(known))
