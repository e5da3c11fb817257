"""The benchmark adapters by name."""

from __future__ import annotations

from bakeoff.domain.component import ComponentKind
from bakeoff.preparation.protocol import BenchmarkProtocol
from bakeoff.runtime.registry import Registry

adapters: Registry[BenchmarkProtocol] = Registry(ComponentKind.ADAPTER, "bakeoff.preparation.adapters")
