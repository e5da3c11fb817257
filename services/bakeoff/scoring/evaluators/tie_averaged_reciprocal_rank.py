"""Reciprocal rank that does not depend on how equal scores are ordered."""

from __future__ import annotations

from bakeoff.scoring.ranking_measures import tie_averaged_reciprocal_rank
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, function_of


@evaluators.register("tie_averaged_reciprocal_rank")
def mrr_tie_averaged() -> TrecEvaluator:
    """Measure the reciprocal rank, averaged over all orders of documents of equal score, as `mrr_tie_averaged`.

    Scores are equal when their 64 bits are; trec_eval compares 32. Beside `mrr` it tells how much is owed to ties.

    Scale: [0, 1], higher is better.
    Not applicable: no document is judged.
    Source: McSherry & Najork 2008.
    """
    return function_of(
        "mrr_tie_averaged",
        lambda ranked: tie_averaged_reciprocal_rank(
            ranked.scores, {name for name, found in zip(ranked.order, ranked.relevant, strict=True) if found}
        ),
        "McSherry & Najork 2008, scores as 64-bit floats",
    )
