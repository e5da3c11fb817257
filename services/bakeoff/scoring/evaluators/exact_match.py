"""Exact match of the answer with any gold answer, after normalisation."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.gold import GoldComparison, metric_name
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rules import RULES, RuleName


@evaluators.register("exact_match")
def exact_match(
    *, normaliser: Annotated[RuleName, Is("whose rule brings answers into one form")] = "squad"
) -> GoldComparison:
    """Measure whether the answer equals a gold answer.

    Scale: {0, 1}, higher is better; a mean is the share of right answers.
    Not applicable: the recipe makes no answers, or the case has no gold answer; under squad_v2 such a case asks for an
        empty answer.
    Source: Rajpurkar et al. 2016, "SQuAD", arXiv:1606.05250; Joshi et al. 2017, "TriviaQA", arXiv:1705.03551; the
        others stand beside their rules.
    """
    source = f"equality after {normaliser}'s normalisation; any gold answer"
    card = MetricCard(metric_name("exact_match", normaliser), "", "", binary=True, needs_answer=True, source=source)
    return GoldComparison(card, RULES[normaliser], lambda answer, gold: float(answer == gold))
