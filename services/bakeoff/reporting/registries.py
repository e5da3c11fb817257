"""The renderers by name."""

from __future__ import annotations

from bakeoff.domain.component import ComponentKind
from bakeoff.reporting.renderer import Renderer
from bakeoff.runtime.registry import Registry

renderers: Registry[Renderer] = Registry(ComponentKind.RENDERER, "bakeoff.reporting.renderers")
