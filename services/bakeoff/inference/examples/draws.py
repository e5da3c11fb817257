"""Random orders: one that depends on seed and case alone, and the one of a prior system, which depends on the row."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

STRIDE = 32
"""Rows between two remembered states of the generator: 2.5 KB each, and at most so many shuffles to get to a row."""


def random_order(seed: int, case_id: str, size: int) -> Iterator[int]:
    """Yield 0 to size - 1 in an order that depends on the seed and the case id alone; costs only what is read.

    Source: Fisher & Yates' shuffle, on numbers from SHA-256, so that it is the same in every version of every library.
    """
    moved: dict[int, int] = {}
    for index in range(size):
        digest = hashlib.sha256(f"{seed}\n{index}\n{case_id}".encode(errors="surrogatepass")).digest()
        chosen = index + int.from_bytes(digest) % (size - index)
        yield moved.get(chosen, chosen)
        moved[chosen] = moved.pop(index, index)


class LegacyOrders:
    """The orders from which a prior system draws: one stream for all rows, so that each depends on its row's number.

    Equal to `numpy.random.RandomState(seed)` that does `choice(size, k, replace=False)` once a row: the first k of the
    order. For several threads at once.
    """

    def __init__(self, seed: int) -> None:
        """Begin the stream.

        Args:
            seed: 0 to 2^32 - 1.
        """
        self._seed = seed
        self._lock = threading.Lock()
        self._states: defaultdict[int, list[Any]] = defaultdict(list)

    def order(self, row: int, size: int) -> NDArray[np.int64]:
        """Return 0 to size - 1 in the order of a row.

        Args:
            row: Row of the case in its benchmark, from 0.
            size: Examples in the pool.
        """
        block, within = divmod(row, STRIDE)
        with self._lock:
            generator = np.random.RandomState(self._seed)
            states = self._states[size]
            if not states:
                states.append(generator.get_state())
            while len(states) <= block:
                generator.set_state(states[-1])
                _skip(generator, STRIDE, size)
                states.append(generator.get_state())
            generator.set_state(states[block])
        _skip(generator, within, size)
        return np.asarray(generator.permutation(size), np.int64)


def _skip(generator: np.random.RandomState, rows: int, size: int) -> None:
    for _ in range(rows):
        generator.permutation(size)
