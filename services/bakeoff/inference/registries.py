"""The generators by name."""

from __future__ import annotations

from bakeoff.domain.component import ComponentKind
from bakeoff.inference.generator import Generator
from bakeoff.runtime.registry import Registry

generators: Registry[Generator] = Registry(ComponentKind.GENERATOR, "bakeoff.inference.generators")
