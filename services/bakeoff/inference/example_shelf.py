"""Examples of the benchmarks that are asked now: read and sorted into pools once, not for every batch."""

from __future__ import annotations

import threading

from bakeoff.contract.stored import PreparedReader
from bakeoff.inference.examples.pools import ExamplePools

REMEMBERED = 4
"""Benchmarks whose examples are kept; a process rarely asks more at the same time."""
BY = "examples_by"
"""What a benchmark's metadata calls the label whose value a case and its examples share."""


class ExampleShelf:
    """The example pools of prepared benchmarks; thread-safe."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._lock = threading.Lock()
        self._pools: dict[str, ExamplePools] = {}

    def of(self, prepared: PreparedReader) -> ExamplePools:
        """Return the pools of a benchmark; empty when it declares no examples."""
        manifest = prepared.manifest
        with self._lock:
            if manifest.fingerprint not in self._pools:
                while len(self._pools) >= REMEMBERED:
                    del self._pools[next(iter(self._pools))]
                by = str(manifest.benchmark.metadata.get(BY, ""))
                self._pools[manifest.fingerprint] = ExamplePools(tuple(prepared.examples()), by)
            return self._pools[manifest.fingerprint]
