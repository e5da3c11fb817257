"""The cases that may be shown as examples, each once; and which of them a case must not be shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import overload

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.same_content import content_of


class ExamplePool(Sequence[Case]):
    """Cases in their order, without repeats: the same case again does not become another example."""

    def __init__(self, cases: Iterable[Case]) -> None:
        """Take the cases.

        Raises:
            InvalidInputError: two different cases have one id.
        """
        by_id: dict[str, Case] = {}
        for case in cases:
            known = by_id.setdefault(case.case_id, case)
            if known is not case and known != case:
                raise InvalidInputError(f"two different examples have the id {case.case_id!r}; ids must be unique")
        self._cases = tuple(by_id.values())
        self._by_content: dict[bytes, list[str]] = defaultdict(list)
        distinct: dict[bytes, Case] = {}
        for case in sorted(self._cases, key=lambda case: case.case_id):
            key = content_of(case)
            self._by_content[key].append(case.case_id)
            distinct.setdefault(key, case)
        self._ids = frozenset(by_id)
        self.distinct = tuple(distinct.values())
        """Cases of different content, by id: what is chosen from does not depend on the order of the pool."""

    @classmethod
    def of(cls, cases: Sequence[Case]) -> ExamplePool:
        """Return a pool of cases; a pool stays what it is."""
        return cases if isinstance(cases, cls) else cls(cases)

    def itself(self, case: Case) -> frozenset[str]:
        """Return the ids of the examples that are the case itself: those of its id or of its content."""
        same = self._by_content.get(content_of(case), [])
        return frozenset([*same, case.case_id] if case.case_id in self._ids else same)

    def __len__(self) -> int:
        return len(self._cases)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Case]: ...
    def __getitem__(self, index: int | slice) -> Case | Sequence[Case]:
        return self._cases[index]
