"""How many items a worker has in hand: as many as it has slots, and those that gave theirs away."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

from bakeoff.contract import subjects
from bakeoff.contract.work_codec import task_to_bytes
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import Task
from bakeoff.runtime import worker as worker_module
from bakeoff.runtime.cancellations import Cancellations
from bakeoff.runtime.items import ItemContext, Result, StageHandler
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.service import Deps, Peers
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.task_versions import TaskVersions
from bakeoff.runtime.worker import Worker
from tests.unit.runtime.test_worker import TASK, Alone

SLOTS, ITEMS = 2, 50


class Crowd:
    """Items that wait for each other, and count how many are at it."""

    def __init__(self, wanted: int, *, gives_way: bool) -> None:
        self.wanted, self.gives_way = wanted, gives_way
        self.at_once = self.most = 0
        self._lock = threading.Lock()
        self._enough = threading.Event()

    def handle(self, task: Task, context: ItemContext) -> Result:
        with self._lock:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            if self.at_once >= self.wanted:
                self._enough.set()
        if self.gives_way:
            with context.waiting():
                self._enough.wait(5)
        else:
            self._enough.wait(5)
        with self._lock:
            self.at_once -= 1
        return Result(b"made")


def work(handle: Callable[[Task, ItemContext], Result]) -> None:
    """Have a worker do all items."""

    async def scenario() -> None:
        bus, settings = MemoryBus(), Settings(slots=SLOTS, ack_wait_s=30.0)
        await bus.ensure(subjects.STREAMS, subjects.consumers(settings.ack_wait_s), subjects.BUCKETS)
        for number in range(ITEMS):
            task = replace(TASK, item=f"b{number}")
            await bus.publish(subjects.task(task.stage, task.evaluation_id, task.item), task_to_bytes(task))
        handler = StageHandler(Stage.PREPARE, lambda task: f"evaluations/{task.item}", handle)
        deps = Deps(settings, MemoryObjects(), bus, Peers({}))
        versions = TaskVersions(bus, "preparation", (), 0.0)
        worker = Worker(deps, handler, "none", Alone(), Cancellations(bus), versions)
        running = asyncio.create_task(worker.run(asyncio.Event()))
        async with asyncio.timeout(60):
            while await bus.subjects(subjects.tasks_of("ev-1")):
                await asyncio.sleep(0.01)
        running.cancel()

    asyncio.run(scenario())


def test_an_item_that_only_waits_gives_its_slot_to_the_next_up_to_a_bound() -> None:
    crowd = Crowd(SLOTS + worker_module.MOST_WAITING, gives_way=True)
    work(crowd.handle)
    assert crowd.most == SLOTS + worker_module.MOST_WAITING


def test_items_that_give_nothing_away_are_no_more_than_the_slots() -> None:
    crowd = Crowd(SLOTS, gives_way=False)
    work(crowd.handle)
    assert crowd.most == SLOTS
