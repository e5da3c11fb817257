"""Recall of relevant pages."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.ranking_level import PAGES
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("page_recall")
def page_recall(
    *, k: Annotated[int | None, Is("first pages that count; null for all", minimum=1)] = 10
) -> TrecEvaluator:
    """Measure the share of the relevant pages that were found.

    A passage is on every page that it touches; a page has the highest score of its passages.

    Scale: [0, 1], higher is better.
    Not applicable: no evidence names a page together with its document.
    Source: trec_eval's recall and set_recall, over pages.
    """
    if k is None:
        return measure_of("page_recall", "set_recall", level=PAGES)
    return measure_of(f"page_recall@{k}", f"recall_{k}", level=PAGES)
