"""Precision over pages."""

from __future__ import annotations

from typing import Annotated

from bakeoff.runtime.registry import Is
from bakeoff.scoring.ranking_level import PAGES
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.trec import TrecEvaluator, measure_of


@evaluators.register("page_precision")
def page_precision(*, k: Annotated[int, Is("first pages that count", minimum=1)] = 10) -> TrecEvaluator:
    """Measure how many of the first k pages are relevant, over k.

    A passage is on every page that it touches; a page has the highest score of its passages.

    Scale: [0, 1], higher is better. It is divided by k also when fewer were found.
    Not applicable: no evidence names a page together with its document.
    Source: trec_eval's P, over pages.
    """
    return measure_of(f"page_precision@{k}", f"P_{k}", level=PAGES)
