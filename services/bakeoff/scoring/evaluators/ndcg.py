"""Normalised discounted cumulative gain."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("ndcg")
def ndcg(*, k: Annotated[int | None, Is("first ranks that count; null for all", minimum=1)] = 10) -> TrecEvaluator:
    """Measure how near the ranking is to the ideal one, with linear gains and a logarithmic discount.

    Scale: [0, 1], higher is better. The ideal is made of all judged documents, not of those that were found.
    Not applicable: no document is judged.
    Source: Järvelin & Kekäläinen 2002, as trec_eval's ndcg and ndcg_cut.
    """
    return measure_of("ndcg", "ndcg") if k is None else measure_of(f"ndcg@{k}", f"ndcg_cut_{k}")
