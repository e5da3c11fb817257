"""Recall of relevant documents."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("recall")
def recall(*, k: Annotated[int | None, Is("first ranks that count; null for all", minimum=1)] = 100) -> TrecEvaluator:
    """Measure the share of the relevant documents that were found.

    Scale: [0, 1], higher is better.
    Not applicable: no document is judged.
    Source: trec_eval's recall and set_recall.
    """
    return measure_of("recall", "set_recall") if k is None else measure_of(f"recall@{k}", f"recall_{k}")
