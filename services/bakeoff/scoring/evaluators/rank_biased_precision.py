"""Rank-biased precision: a reader goes on to the next rank with a fixed chance."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.ranking_measures import rank_biased_precision
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, function_of


@evaluators.register("rank_biased_precision")
def rbp(
    *,
    p: Annotated[float, Is("chance that a reader goes on to the next rank", minimum=0.0, maximum=1.0)] = 0.8,
    k: Annotated[int | None, Is("first ranks that count; null for all", minimum=1)] = None,
) -> TrecEvaluator:
    """Measure the rate at which a reader who may stop at any rank meets relevant documents, as `rbp(p)` or `rbp(p)@k`.

    Scale: [0, 1), higher is better.
    Not applicable: no document is judged.
    Source: Moffat & Zobel 2008; as ir_measures' RBP with rel=1.
    """
    name = f"rbp({p:g})" if k is None else f"rbp({p:g})@{k}"
    told = f"Moffat & Zobel 2008, p={p:g}"
    return function_of(name, lambda ranked: rank_biased_precision(ranked.relevant, p, k), told)
