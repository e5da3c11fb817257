"""Binary preference: how often relevant documents stand before those that are judged not relevant."""

from __future__ import annotations

from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("bpref")
def bpref() -> TrecEvaluator:
    """Measure how far relevant documents stand before those that are judged not relevant; others do not matter.

    Scale: [0, 1], higher is better. Where nothing is judged not relevant it is the recall.
    Not applicable: no document is judged.
    Source: Buckley & Voorhees 2004, as trec_eval's bpref.
    """
    return measure_of("bpref", "bpref")
