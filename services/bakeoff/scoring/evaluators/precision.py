"""Precision among the first documents."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("precision")
def precision(*, k: Annotated[int | None, Is("first ranks that count; null for all", minimum=1)] = 10) -> TrecEvaluator:
    """Measure the share of relevant documents among the first k.

    Scale: [0, 1], higher is better. It is divided by k, also when fewer were found; uncut, by all that were found.
    Not applicable: no document is judged.
    Source: trec_eval's P and set_P.
    """
    return measure_of("precision", "set_P") if k is None else measure_of(f"precision@{k}", f"P_{k}")
