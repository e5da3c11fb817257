"""Average precision; its mean over cases is MAP."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("average_precision")
def average_precision(
    *, k: Annotated[int | None, Is("first ranks that count; null for all", minimum=1)] = None
) -> TrecEvaluator:
    """Measure the mean of the precisions at the relevant documents' ranks, as `map` or `map@k`.

    Scale: [0, 1], higher is better. It is divided by all relevant documents, also when cut at k.
    Not applicable: no document is judged.
    Source: trec_eval's map and map_cut.
    """
    return measure_of("map", "map") if k is None else measure_of(f"map@{k}", f"map_cut_{k}")
