"""Whether any relevant document is among the first."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("hit")
def hit(*, k: Annotated[int, Is("first ranks that count", minimum=1)] = 10) -> TrecEvaluator:
    """Measure whether at least one of the first k documents is relevant.

    Scale: {0, 1}, higher is better; a mean is the share of cases with a hit.
    Not applicable: no document is judged.
    Source: trec_eval's success.
    """
    return measure_of(f"hit@{k}", f"success_{k}", binary=True)
