"""Precision at the rank that is the number of relevant documents."""

from __future__ import annotations

from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("r_precision")
def r_precision() -> TrecEvaluator:
    """Measure the share of relevant documents among the first R, R being how many there are.

    Scale: [0, 1], higher is better.
    Not applicable: no document is judged.
    Source: trec_eval's Rprec.
    """
    return measure_of("r_precision", "Rprec")
