"""Reciprocal rank; its mean over cases is MRR."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("reciprocal_rank")
def reciprocal_rank(
    *, k: Annotated[int | None, Is("first ranks that count; null for all", minimum=1)] = None
) -> TrecEvaluator:
    """Measure one over the rank of the first relevant document, as `mrr` or `mrr@k`.

    Scale: [0, 1], higher is better. 0 when none is among the first k.
    Not applicable: no document is judged.
    Source: trec_eval's recip_rank; cut at k by trec_eval's own order, so that ties fall as for every other measure.
    """
    return measure_of("mrr" if k is None else f"mrr@{k}", "recip_rank", last_rank=k)
