"""Pools of examples by group: a question of one subject is shown examples of its subject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import Violation
from bakeoff.inference.examples.pool import ExamplePool
from bakeoff.inference.examples.retriever import ExampleRetriever
from bakeoff.inference.prompting.values import column_names

NO_EXAMPLES = ExamplePool(())


class ExamplePools:
    """The pool of each case: all examples, or those that share a label with it."""

    def __init__(self, cases: Sequence[Case] = (), by: str = "") -> None:
        """Sort the examples into their pools.

        Args:
            cases: All examples, in the order of their split.
            by: Name of a label, such as `subject`; empty means one pool for all.

        Raises:
            InvalidInputError: two different examples have one id.
        """
        self._by = by
        groups: dict[str, list[Case]] = defaultdict(list)
        for case in cases:
            groups[self._group(case)].append(case)
        self._pools = {group: ExamplePool(members) for group, members in groups.items()}

    def of(self, case: Case) -> ExamplePool:
        """Return the pool of a case; an empty one when no example shares its label."""
        return self._pools.get(self._group(case), NO_EXAMPLES)

    def check(self, retriever: ExampleRetriever, case: Case) -> Iterator[Violation]:
        """Yield what a retriever finds wrong with the pool of a case, naming the pool."""
        where = f" (pool of {self._by} {self._group(case)!r})" if self._by else ""
        for violation in retriever.check(self.of(case)):
            yield Violation(violation.field, violation.problem + where)

    @cached_property
    def columns(self) -> frozenset[str]:
        """Slots that some example fills, beyond those that every case does."""
        return frozenset(name for case in self for name in column_names(case))

    def __iter__(self) -> Iterator[Case]:
        """Yield all examples."""
        for pool in self._pools.values():
            yield from pool

    def _group(self, case: Case) -> str:
        return case.labels.get(self._by, "") if self._by else ""
