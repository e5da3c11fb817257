"""Reciprocal rank of the first relevant page; its mean over cases is MRR."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.ranking_level import PAGES
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("page_reciprocal_rank")
def page_reciprocal_rank(
    *, k: Annotated[int | None, Is("first pages that count; null for all", minimum=1)] = None
) -> TrecEvaluator:
    """Measure one over the rank of the first relevant page, as `page_mrr` or `page_mrr@k`.

    A passage is on every page that it touches; a page has the highest score of its passages.

    Scale: [0, 1], higher is better. 0 when none is among the first k.
    Not applicable: no evidence names a page together with its document.
    Source: trec_eval's recip_rank, over pages.
    """
    return measure_of("page_mrr" if k is None else f"page_mrr@{k}", "recip_rank", last_rank=k, level=PAGES)
