"""The last things that were used, each made once however many threads ask for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LastUsed(Generic[K, V]):
    """A bounded number of values by key; the one that was not used for longest goes first."""

    def __init__(self, capacity: int) -> None:
        """Keep at most `capacity` values, from 1."""
        self._capacity = capacity
        self._lock = threading.Lock()
        self._values: OrderedDict[K, V] = OrderedDict()
        self._making: dict[K, threading.Lock] = {}

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key.

        Args:
            key: Whose.
            make: Makes it when it is not there. What it raises is raised, and nothing is kept.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            making = self._making.setdefault(key, threading.Lock())
        with making:
            with self._lock:
                if key in self._values:  # made by who held the lock before
                    return self._values[key]
            try:
                value = make()
                self._put(key, value)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return value

    def drop(self, key: K) -> None:
        """Let go of a value; no error when it is not there."""
        with self._lock:
            self._values.pop(key, None)

    def _put(self, key: K, value: V) -> None:
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._capacity:
                self._values.popitem(last=False)
