"""The evaluators by name."""

from __future__ import annotations

from bakeoff.domain.component import ComponentKind
from bakeoff.runtime.registry import Registry
from bakeoff.scoring.evaluator import Evaluator

evaluators: Registry[Evaluator] = Registry(ComponentKind.EVALUATOR, "bakeoff.scoring.evaluators")
