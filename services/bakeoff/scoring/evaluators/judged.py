"""How much of what was found has been judged at all."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.ranking_measures import judged_share
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, function_of


@evaluators.register("judged")
def judged(*, k: Annotated[int, Is("first ranks that count", minimum=1)] = 10) -> TrecEvaluator:
    """Measure the share of the first k documents that are judged, relevant or not.

    What is not judged counts as not relevant elsewhere: where this is low, other measures say little.

    Scale: [0, 1], higher is better. It is divided by the documents that were found when they are fewer than k.
    Not applicable: no document is judged.
    Source: ir_measures' Judged.
    """
    return function_of(
        f"judged@{k}", lambda ranked: judged_share(ranked.order, ranked.judged, k), "share of judged documents"
    )
