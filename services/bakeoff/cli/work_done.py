"""How much of an evaluation a run did itself, and how much it found done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.domain.evaluation import EvaluationStatus, Stage
from bakeoff.runtime.item_handling import WorkerCounts


@dataclass(frozen=True, slots=True)
class WorkDone:
    """The items of one stage that have ended."""

    stage: Stage
    now: int
    """Worked on since the platform started."""
    found: int
    """Done before, by an earlier run or for another evaluation."""


def work_done(status: EvaluationStatus, counts: Mapping[str, WorkerCounts]) -> tuple[WorkDone, ...]:
    """Return who did the ended items of an evaluation, by stage.

    Args:
        status: The evaluation, the only one that the platform worked on since it started.
        counts: What the platform's workers have done since then, by stage.
    """
    done = []
    for stage in status.stages:
        worked = counts[stage.stage.value].executed if stage.stage.value in counts else 0
        now = min(worked, stage.done)
        done.append(WorkDone(stage.stage, now, stage.done - now))
    return tuple(done)


def work_words(work: Sequence[WorkDone]) -> str:
    """Return the sums in words, such as `items: 12 done now, 30 found done`."""
    return f"items: {sum(each.now for each in work):,} done now, {sum(each.found for each in work):,} found done"
