"""Which models an evaluator asks: so that keys and names can be looked at before anything starts."""

from __future__ import annotations

from bakeoff.models.choice import ModelChoice
from bakeoff.scoring.evaluator import Evaluator
from bakeoff.scoring.judge_evaluator import DuelEvaluator, JudgeEvaluator
from bakeoff.scoring.judge_panel import ModelPanel
from bakeoff.scoring.over_samples import OverSamples


def models_asked_by(evaluator: Evaluator) -> list[ModelChoice]:
    """Return the models that an evaluator asks, or that judge each sample for it; empty when it asks none."""
    if isinstance(evaluator, OverSamples):
        return models_asked_by(evaluator.method.evaluator)
    if isinstance(evaluator, JudgeEvaluator | DuelEvaluator) and isinstance(evaluator.judges, ModelPanel):
        return [evaluator.judges.choice]
    return []
