"""Workers of two versions at one queue: each does what was planned for it, and what nobody can do is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.stored import encode
from bakeoff.domain.component import ComponentCard, ComponentKind
from bakeoff.domain.work import Task
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.task_versions import Fit, TaskVersions
from tests.unit.runtime.test_worker import TASK


@dataclass
class Clock:
    """Seconds that a test lets pass."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def cards(**versions: str) -> tuple[ComponentCard, ...]:
    return tuple(ComponentCard(ComponentKind.EVALUATOR, name, version) for name, version in versions.items())


def needs(**versions: str) -> Task:
    return replace(TASK, versions={f"evaluator:{name}": version for name, version in versions.items()})


def fits(
    task: Task, ours: Mapping[str, str], announced: Mapping[str, str], after: Iterable[float] = (0.0,)
) -> list[Fit]:
    """Return what a worker says of a task so many seconds after its start."""

    async def scenario() -> list[Fit]:
        bus, clock = MemoryBus(), Clock()
        await bus.ensure(subjects.STREAMS, subjects.consumers(30.0), subjects.BUCKETS)
        versions = TaskVersions(bus, "scoring", cards(**ours), 60.0, clock)
        await bus.kv_put(subjects.COMPONENTS_BUCKET, "scoring", encode(cards(**announced)))
        found = []
        for seconds in after:
            clock.now = 100.0 + seconds
            found.append(await versions.fit(task))
        return found

    return asyncio.run(scenario())


def test_a_task_for_which_any_version_will_do_is_ours() -> None:
    assert fits(TASK, {"recall": "1"}, {"recall": "2"}) == [Fit.OURS]


def test_a_task_of_our_versions_is_ours_whatever_the_newest_worker_has() -> None:
    assert fits(needs(recall="1"), {"recall": "1", "f1": "1"}, {"recall": "2"}) == [Fit.OURS]


def test_a_task_of_the_announced_versions_is_for_others_however_long_it_takes() -> None:
    old = {"recall": "1", "f1": "1"}
    assert fits(needs(recall="2"), old, {"recall": "2"}, (0.0, 1e6)) == [Fit.OTHERS, Fit.OTHERS]


def test_a_task_with_a_component_that_only_newer_workers_have_is_for_them() -> None:
    assert fits(needs(recall="1", new="1"), {"recall": "1"}, {"recall": "1", "new": "1"}) == [Fit.OTHERS]


def test_a_task_of_an_earlier_version_is_for_others_while_they_may_be_about_and_then_nobodys() -> None:
    new = {"recall": "2"}
    assert fits(needs(recall="1"), new, new, (0.0, 59.0, 60.0)) == [Fit.OTHERS, Fit.OTHERS, Fit.NOBODYS]


def test_a_component_that_no_process_of_the_service_has_is_another_services() -> None:
    assert fits(needs(recall="1", elsewhere="7"), {"recall": "1"}, {"recall": "1"}) == [Fit.OURS]


def test_what_is_announced_is_looked_up_again_after_some_seconds() -> None:
    async def scenario() -> tuple[Fit, Fit]:
        bus, clock = MemoryBus(), Clock()
        await bus.ensure(subjects.STREAMS, subjects.consumers(30.0), subjects.BUCKETS)
        versions = TaskVersions(bus, "scoring", cards(recall="1"), 0.0, clock)
        before = await versions.fit(needs(recall="2"))
        await bus.kv_put(subjects.COMPONENTS_BUCKET, "scoring", encode(cards(recall="2")))
        clock.now += 6
        return before, await versions.fit(needs(recall="2"))

    assert asyncio.run(scenario()) == (Fit.NOBODYS, Fit.OTHERS)


def test_the_refusal_says_what_was_asked_for_and_what_is_there() -> None:
    versions = TaskVersions(MemoryBus(), "scoring", cards(recall="2", f1="1"), 0.0)
    with pytest.raises(Exception, match=r"evaluator:recall 1, here 2\), and .* --fresh"):
        raise versions.refusal(needs(recall="1", f1="1"))
