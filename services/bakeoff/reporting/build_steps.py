"""What building knowledge bases took, and what was there already, from the counts of build items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bakeoff.domain.report import BuildStep, RunFacts
from bakeoff.domain.work import DoneFact
from bakeoff.reporting.wording import ABSENT, count, money

STEPS = {
    "parse": "documents parsed",
    "chunk": "documents chunked",
    "embed": "documents embedded",
    "text": "texts embedded",
    "token": "tokens embedded at an endpoint",
    "cost": "cost of embedding",
    "knowledge_base": "knowledge bases",
}
"""Steps in their order, in words."""
COST = "cost"
MILLION = 1_000_000
"""Costs are counted in millionths of the currency that the recipe's price is in."""
BUILD_HEADER = ("building", "done here", "there already")
REUSED = "reused"
"""Count of an item whose result was there."""


def build_steps(facts: Sequence[DoneFact]) -> tuple[BuildStep, ...]:
    """Return how often each step was done for the items of `build`; a step that no item took is left out."""
    totals: Counter[str] = Counter()
    for fact in facts:
        if fact.result is None:
            continue
        known = REUSED if fact.counts.get(REUSED) else "computed"
        totals[f"knowledge_base_{known}"] += 1
        totals.update(fact.counts)
    totals["text_computed"] = totals["texts_embedded"] - totals["embedding_found"]
    totals["text_reused"] = totals["embedding_found"]
    totals["token_computed"], totals["token_reused"] = totals["embedding_tokens"], totals["embedding_tokens_found"]
    totals["cost_computed"] = totals["embedding_cost_micros"]
    steps = (BuildStep(step, totals[f"{step}_computed"], totals[f"{step}_{REUSED}"]) for step in STEPS)
    return tuple(step for step in steps if step.computed or step.reused)


def build_rows(run: RunFacts) -> tuple[tuple[str, str, str], ...]:
    """Return the steps in words, how often each was done, and how often it was there already."""
    return tuple(
        (STEPS.get(each.step, each.step), _amount(each.step, each.computed), _amount(each.step, each.reused))
        for each in run.building
    )


def _amount(step: str, number: int) -> str:
    if step != COST:
        return count(number)
    return money(number / MILLION) if number else ABSENT
