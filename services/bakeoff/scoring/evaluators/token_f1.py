"""Overlap of the answer's tokens with those of the best gold answer."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.gold import GoldComparison, metric_name
from bakeoff.scoring.normalisation import tokens
from bakeoff.scoring.registries import evaluators


@evaluators.register("token_f1")
def token_f1(
    *, normaliser: Annotated[Literal["squad", "triviaqa"], Is("whose rule brings answers into one form")] = "squad"
) -> GoldComparison:
    """Measure the harmonic mean of token precision and token recall.

    Scale: [0, 1], higher is better. Chinese and Japanese are compared by characters, as in CMRC 2018.
    Not applicable: the case has no gold answer, or the recipe makes no answers.
    Source: Rajpurkar et al. 2016, "SQuAD", arXiv:1606.05250.
    """
    source = f"token F1 after {normaliser}'s normalisation; best gold answer"
    card = MetricCard(metric_name("token_f1", normaliser), "", "", needs_answer=True, source=source)
    return GoldComparison(card, normaliser, f1)


def f1(answer: str, gold: str) -> float:
    """Return the F1 of two normalised answers' tokens; 1 when both are empty, 0 when one is."""
    found, wanted = tokens(answer), tokens(gold)
    if not found or not wanted:
        return float(found == wanted)
    shared = sum((Counter(found) & Counter(wanted)).values())
    return 2 * shared / (len(found) + len(wanted))
