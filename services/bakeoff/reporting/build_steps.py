"""What building knowledge bases took, and what was there already, from the counts of build items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bakeoff.domain.report import BuildStep, RunFacts
from bakeoff.domain.work import DoneFact
from bakeoff.reporting.wording import count

STEPS = {
    "parse": "documents parsed",
    "chunk": "documents chunked",
    "embed": "documents embedded",
    "text": "texts embedded",
    "token": "tokens embedded at an endpoint",
    "knowledge_base": "knowledge bases",
}
"""Steps in their order, in words."""
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
    totals["text_computed"] = totals["texts_embedded"]
    totals["token_computed"] = totals["embedding_tokens"]
    steps = (BuildStep(step, totals[f"{step}_computed"], totals[f"{step}_{REUSED}"]) for step in STEPS)
    return tuple(step for step in steps if step.computed or step.reused)


def build_rows(run: RunFacts) -> tuple[tuple[str, str, str], ...]:
    """Return the steps in words, how often each was done, and how often it was there already."""
    return tuple((STEPS.get(each.step, each.step), count(each.computed), count(each.reused)) for each in run.building)
