"""Taking the first so many examples that may be shown, or saying why there are not enough."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.inference.examples.pool import ExamplePool
from bakeoff.inference.examples.retriever import Chosen

NO_POOL = "there are no examples: name them by the adapter's setting `examples`, or show none"
"""What is wrong with a choice of examples where the benchmark has none."""


def withheld(case: Case, pool: ExamplePool, leak_guard: bool) -> frozenset[str]:
    """Return the ids of the examples that the case must not be shown; none without the guard."""
    return pool.itself(case) if leak_guard else frozenset()


def first_allowed(k: int, ranked: Iterable[Case], forbidden: frozenset[str], *, case: Case, available: int) -> Chosen:
    """Return the first `k` examples of a ranking that are not forbidden.

    Args:
        k: How many, from 0.
        ranked: All examples, best first; read no further than needed.
        forbidden: Ids that are passed over.
        case: What is asked, for the message.
        available: Examples in the ranking, for the message.

    Raises:
        InvalidInputError: there are fewer than `k`.
    """
    examples: list[Case] = []
    ranking = iter(ranked)
    while len(examples) < k:
        example = next(ranking, None)
        if example is None:
            left_out = available - len(examples)
            raise InvalidInputError(
                f"case {case.case_id!r}: k is {k}, but the pool has only {len(examples)} examples for it"
                + (f" ({left_out} of {available} withheld, being the case itself)" if left_out else "")
                + f"; k must be at most {len(examples)}"
            )
        if example.case_id not in forbidden:
            examples.append(example)
    return Chosen(tuple(examples), len(forbidden))


def enough(k: int, pool: Sequence[Case]) -> list[Violation]:
    """Return what is wrong when `k` examples are to be chosen from a pool: that they are too many."""
    available = len(pool)
    if k <= available:
        return []
    if not pool:
        return [Violation("k", f"is {k}, but {NO_POOL}")]
    return [
        Violation("k", f"is {k}, but the pool has only {available} different examples: 0 to {available} are allowed")
    ]
