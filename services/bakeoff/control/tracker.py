"""One evaluation under way, as a control process knows it: its plan's frontier and the facts it has seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.control.frontier import Frontier, StageCounts
from bakeoff.domain.evaluation import EvaluationRecord, ObjectRef, Stage, StageProgress
from bakeoff.domain.work import DoneFact, ItemOutcome, PlanItem


@dataclass(frozen=True, slots=True)
class View:
    """An evaluation as it can be seen from outside of an engine."""

    record: EvaluationRecord
    facts: tuple[DoneFact, ...]
    """Of the items that count now."""
    counts: Mapping[Stage, StageCounts]
    ready: Mapping[Stage, int]
    """Items that could be released, and are not."""
    limit: int
    """Items of a stage that it may have released."""
    versions: Mapping[Stage, Mapping[str, str]]
    """Versions of components that items which have not ended are planned with, by `kind:name`."""


@dataclass(slots=True)
class Tracker:
    """What is known of an evaluation; derived, so that it may be lost at any time."""

    record: EvaluationRecord
    frontier: Frontier
    planned: ObjectRef | None = None
    """The plan that the frontier holds; None before, when it holds the prepare items alone."""
    report: str = ""
    """`<stage>/<item>` of the plan's report."""
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

    def plan(self, items: Sequence[PlanItem], source: ObjectRef) -> None:
        """Take up a plan: the prepare items stay, what is known to have ended has ended.

        Args:
            items: All that is to be done, the report being last.
            source: Where the plan is stored.
        """
        self.frontier = Frontier((*self.prepare, *items))
        self.planned = source
        self.report = items[-1].name
        for name, fact in self.facts.items():
            self.frontier.finish(name, failed=fact.outcome is ItemOutcome.FAILED)

    def view(self, limit: int) -> View:
        """Return what can be seen of it, of which at most so many items of a stage may be released."""
        return View(
            self.record,
            tuple(fact for name, fact in self.facts.items() if name in self.frontier),
            {stage: self.frontier.counts[stage] for stage in Stage},
            {stage: self.frontier.ready(stage) for stage in Stage},
            limit,
            {item.task.stage: item.task.versions for item in self.frontier.left()},
        )

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
