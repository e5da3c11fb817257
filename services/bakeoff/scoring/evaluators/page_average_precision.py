"""Average precision over pages; its mean over cases is MAP."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.ranking_level import PAGES
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("page_average_precision")
def page_average_precision(
    *, k: Annotated[int | None, Is("first pages that count; null for all", minimum=1)] = None
) -> TrecEvaluator:
    """Measure the mean of the precisions at the relevant pages' ranks, as `page_map` or `page_map@k`.

    A passage is on every page that it touches; a page has the highest score of its passages.

    Scale: [0, 1], higher is better. It is divided by all relevant pages, also when cut at k.
    Not applicable: no evidence names a page together with its document.
    Source: trec_eval's map and map_cut, over pages.
    """
    if k is None:
        return measure_of("page_map", "map", level=PAGES)
    return measure_of(f"page_map@{k}", f"map_cut_{k}", level=PAGES)
