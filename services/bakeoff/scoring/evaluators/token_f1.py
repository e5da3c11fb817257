"""Overlap of the answer's tokens with those of the best gold answer."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.gold import GoldComparison, metric_name
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rules import RULES, RuleName


@evaluators.register("token_f1")
def token_f1(*, normaliser: Annotated[RuleName, Is("whose rule normalises and counts")] = "squad") -> GoldComparison:
    """Measure the harmonic mean of token precision and token recall.

    Scale: [0, 1], higher is better. Chinese and Japanese are compared by characters, as in CMRC 2018; under hotpotqa
        yes, no and noanswer share nothing with another answer; under cmrc only the longest common run counts.
    Not applicable: the recipe makes no answers, or the case has no gold answer; under squad_v2 such a case asks for an
        empty answer.
    Source: Rajpurkar et al. 2016, "SQuAD", arXiv:1606.05250; the others stand beside their rules.
    """
    source = f"token F1 after {normaliser}'s normalisation; best gold answer"
    card = MetricCard(metric_name("token_f1", normaliser), "", "", needs_answer=True, source=source)
    return GoldComparison(card, RULES[normaliser], RULES[normaliser].overlap)
