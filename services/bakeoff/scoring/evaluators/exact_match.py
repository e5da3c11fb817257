"""Exact match of the answer with any gold answer, after normalisation."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.gold import GoldComparison, metric_name
from bakeoff.scoring.registries import evaluators


@evaluators.register("exact_match")
def exact_match(
    *, normaliser: Annotated[Literal["squad", "triviaqa"], Is("whose rule brings answers into one form")] = "squad"
) -> GoldComparison:
    """Measure whether the answer equals a gold answer.

    Scale: {0, 1}, higher is better; a mean is the share of right answers.
    Not applicable: the case has no gold answer, or the recipe makes no answers.
    Source: Rajpurkar et al. 2016, "SQuAD", arXiv:1606.05250; Joshi et al. 2017, "TriviaQA", arXiv:1705.03551.
    """
    source = f"equality after {normaliser}'s normalisation; any gold answer"
    card = MetricCard(metric_name("exact_match", normaliser), "", "", binary=True, needs_answer=True, source=source)
    return GoldComparison(card, normaliser, lambda answer, gold: float(answer == gold))
