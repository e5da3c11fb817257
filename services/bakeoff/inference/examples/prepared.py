"""What a retriever makes of each pool once, for all cases that are asked with it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from bakeoff.domain.benchmark import Case
from bakeoff.inference.examples.pool import ExamplePool

T = TypeVar("T")

REMEMBERED = 256
"""Pools: more than the subjects of any known suite."""


class PreparedPools(Generic[T]):
    """Remembers what was made of the last pools. For several threads at once."""

    def __init__(self, make: Callable[[ExamplePool], T]) -> None:
        """Remember nothing yet.

        Args:
            make: Makes of a pool what is needed to choose from it.
        """
        self._make = make
        self._lock = threading.Lock()
        self._made: OrderedDict[int, tuple[Sequence[Case], ExamplePool, T]] = OrderedDict()

    def of(self, cases: Sequence[Case]) -> tuple[ExamplePool, T]:
        """Return the pool of the cases and what was made of it; made once for the same object."""
        with self._lock:
            # An id belongs to one object as long as that is kept, which it is here.
            if id(cases) not in self._made:
                pool = ExamplePool.of(cases)
                self._made[id(cases)] = (cases, pool, self._make(pool))
                if len(self._made) > REMEMBERED:
                    self._made.popitem(last=False)
            _, pool, made = self._made[id(cases)]
            return pool, made
