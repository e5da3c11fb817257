"""Whether any relevant page is among the first."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.ranking_level import PAGES
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("page_hit")
def page_hit(*, k: Annotated[int, Is("first pages that count", minimum=1)] = 10) -> TrecEvaluator:
    """Measure whether at least one of the first k pages is relevant.

    A passage is on every page that it touches; a page has the highest score of its passages.

    Scale: {0, 1}, higher is better; a mean is the share of cases with a hit.
    Not applicable: no evidence names a page together with its document.
    Source: trec_eval's success, over pages.
    """
    return measure_of(f"page_hit@{k}", f"success_{k}", binary=True, level=PAGES)
