"""Normalised discounted cumulative gain over pages."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.ranking_level import PAGES
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("page_ndcg")
def page_ndcg(*, k: Annotated[int | None, Is("first pages that count; null for all", minimum=1)] = 10) -> TrecEvaluator:
    """Measure how near the ranking of pages is to the ideal one, with linear gains and a logarithmic discount.

    A passage is on every page that it touches; a page has the highest score of its passages.

    Scale: [0, 1], higher is better. The ideal is made of all judged pages, not of those that were found.
    Not applicable: no evidence names a page together with its document.
    Source: Järvelin & Kekäläinen 2002, as trec_eval's ndcg and ndcg_cut, over pages.
    """
    if k is None:
        return measure_of("page_ndcg", "ndcg", level=PAGES)
    return measure_of(f"page_ndcg@{k}", f"ndcg_cut_{k}", level=PAGES)
