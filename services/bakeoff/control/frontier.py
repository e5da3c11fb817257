"""What of a plan may be released now: kept up with facts, mended by sweeps."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import PlanItem


@dataclass(slots=True)
class StageCounts:
    """How far a stage is."""

    planned: int = 0
    done: int = 0
    failed: int = 0
    released: int = 0
    """Released and not ended."""
    planned_cases: int = 0
    done_cases: int = 0


class Frontier:
    """The state of a plan's items: waiting for others, ready, released, ended.

    Items are named `<stage>/<item>`. Every call may be repeated: what has ended stays ended.
    """

    def __init__(self, items: Sequence[PlanItem]) -> None:
        """Start with nothing released or ended."""
        self._items = {item.name: item for item in items}
        self._waits = {item.name: sum(need in self._items for need in item.needs) for item in items}
        self._dependents: dict[str, list[str]] = defaultdict(list)
        self._ready: dict[Stage, deque[str]] = defaultdict(deque)
        self._released: dict[Stage, set[str]] = defaultdict(set)
        self._ended: set[str] = set()
        self.counts: dict[Stage, StageCounts] = defaultdict(StageCounts)
        """By stage."""
        for item in items:
            counts = self.counts[item.task.stage]
            counts.planned += 1
            counts.planned_cases += item.cases
            for need in item.needs:
                self._dependents[need].append(item.name)
            if self._waits[item.name] == 0:
                self._ready[item.task.stage].append(item.name)

    def __contains__(self, name: str) -> bool:
        """Say whether an item is in the plan."""
        return name in self._items

    def finish(self, name: str, *, failed: bool) -> None:
        """Take note that an item has ended; one that is not in the plan is ignored."""
        item = self._items.get(name)
        if item is None or name in self._ended:
            return
        self._ended.add(name)
        stage = item.task.stage
        self._released[stage].discard(name)
        counts = self.counts[stage]
        counts.done += 1
        counts.failed += failed
        counts.done_cases += item.cases
        counts.released = len(self._released[stage])
        for dependent in self._dependents[name]:
            self._waits[dependent] -= 1
            if self._waits[dependent] == 0:
                self._ready[self._items[dependent].task.stage].append(dependent)

    def take(self, stage: Stage, limit: int) -> list[PlanItem]:
        """Release items of a stage, first planned first, so that at most `limit` are released and not ended."""
        taken = []
        ready, released = self._ready[stage], self._released[stage]
        while ready and len(released) < limit:
            name = ready.popleft()
            if name in self._ended or name in released:
                continue
            released.add(name)
            taken.append(self._items[name])
        self.counts[stage].released = len(released)
        return taken

    def ready(self, stage: Stage) -> int:
        """Return how many items of a stage could be released."""
        return sum(name not in self._ended and name not in self._released[stage] for name in self._ready[stage])

    def left(self) -> Iterator[PlanItem]:
        """Yield the items that have not ended."""
        return (item for name, item in self._items.items() if name not in self._ended)

    def mend(self, queued: Iterable[str]) -> None:
        """Bring the released items in line with what is really queued or in hand.

        A released item that neither ended nor is queued was lost and becomes ready again; a queued one counts as
        released, whoever released it. Call with what was queued before the facts were read.
        """
        there = set(queued)
        for stage in Stage:
            lost = [name for name in self._released[stage] if name not in there and name not in self._ended]
            self._released[stage].difference_update(lost)
            self._ready[stage].extendleft(sorted(lost, reverse=True))
        for name in there & self._items.keys():
            if name not in self._ended and self._waits[name] == 0:
                self._released[self._items[name].task.stage].add(name)
        for stage in Stage:
            self.counts[stage].released = len(self._released[stage])


def window_of(evaluation_id: str, tenants: dict[str, str], window: int, concurrency: int | None) -> int:
    """Return how many items of a stage an evaluation may have released.

    Every tenant gets the same share of the window, and every evaluation the same share of its tenant's; nobody gets
    less than one, so ten cases never wait behind a hundred thousand.

    Args:
        evaluation_id: Who asks; in `tenants`.
        tenants: Tenant of each evaluation that is under way.
        window: Items of one stage over all evaluations.
        concurrency: The evaluation's own bound; None for none.
    """
    tenant = tenants[evaluation_id]
    share = window / len(set(tenants.values())) / sum(other == tenant for other in tenants.values())
    return max(1, min(int(share), concurrency or window))
