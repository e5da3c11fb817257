"""One evaluation under way, as a control process knows it: its plan's frontier and the facts it has seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bakeoff.control.frontier import Frontier
from bakeoff.domain.evaluation import EvaluationRecord, Stage, StageProgress
from bakeoff.domain.work import DoneFact, ItemOutcome, PlanItem


@dataclass(slots=True)
class Tracker:
    """What is known of an evaluation; derived, so that it may be lost at any time."""

    record: EvaluationRecord
    frontier: Frontier
    planned: bool = False
    """Whether the frontier holds the plan; before, it holds the prepare items alone."""
    facts: dict[str, DoneFact] = field(default_factory=dict)
    """By `<stage>/<item>`."""
    said_built: bool = False
    prepare: tuple[PlanItem, ...] = ()

    def add(self, fact: DoneFact) -> bool:
        """Take note of a fact; False when it was known."""
        name = f"{fact.stage.value}/{fact.item}"
        if name in self.facts:
            return False
        self.facts[name] = fact
        self.frontier.finish(name, failed=fact.outcome is ItemOutcome.FAILED)
        return True

    def plan(self, items: Sequence[PlanItem]) -> None:
        """Take up the plan: the prepare items stay, what is known to have ended has ended."""
        self.frontier = Frontier((*self.prepare, *items))
        self.planned = True
        for name, fact in self.facts.items():
            self.frontier.finish(name, failed=fact.outcome is ItemOutcome.FAILED)

    def progress(self) -> tuple[StageProgress, ...]:
        """Return how far each stage is, in their order."""
        stages = []
        for stage in Stage:
            counts = self.frontier.counts[stage]
            stages.append(
                StageProgress(
                    stage,
                    counts.planned,
                    counts.done,
                    counts.released,
                    counts.failed,
                    counts.planned_cases,
                    counts.done_cases,
                )
            )
        return tuple(stages)
