"""The order in which an item is handled, and what each kind of error leads to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.codec import download_from_bytes
from bakeoff.contract.stored import encode
from bakeoff.contract.work_codec import done_fact_from_bytes, done_fact_to_bytes, task_to_bytes
from bakeoff.domain.answer import FailureKind
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError, OutOfReachError, UnavailableError
from bakeoff.domain.evaluation import Download, EvaluationRecord, EvaluationState, ObjectRef, Stage
from bakeoff.domain.identity import token
from bakeoff.domain.work import DoneFact, ItemOutcome, PrepareTask, Task
from bakeoff.runtime.cancellations import Cancellations
from bakeoff.runtime.isolation import ItemKilledError
from bakeoff.runtime.items import ItemContext, Result, StageHandler
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.service import Deps, Peers
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.task_versions import TaskVersions
from bakeoff.runtime.worker import Worker

TASK = Task("ev-1", "t", Stage.PREPARE, "b0", PrepareTask(BenchmarkChoice(ComponentSpec("beir"))))
SUBJECT = subjects.task(TASK.stage, TASK.evaluation_id, TASK.item)
FACT = subjects.done(TASK.evaluation_id, TASK.stage, TASK.item)
KEY = "evaluations/ev-1/prepared/b0.json"


@dataclass
class Alone:
    """An isolation that remembers who was run alone."""

    ran: list[str] = field(default_factory=list)
    raises: Exception | None = None

    async def run(self, service: str, task: Task) -> Result:
        self.ran.append(task.item)
        if self.raises:
            raise self.raises
        return Result(b"alone")


@dataclass
class Room:
    """A worker with memory twins around one handler."""

    handle: Callable[[Task, ItemContext], Result]
    bus: MemoryBus = field(default_factory=MemoryBus)
    objects: MemoryObjects = field(default_factory=MemoryObjects)
    alone: Alone = field(default_factory=Alone)
    settings: Settings = field(default_factory=lambda: Settings(attempts=2, ack_wait_s=1.0))

    async def __call__(self, until: Callable[[], Coroutine[object, object, bool]], *, task: Task = TASK) -> Worker:
        """Queue the task, work until something holds, stop."""
        await self.ensure()
        await self.bus.publish(SUBJECT, task_to_bytes(task))
        handler = StageHandler(Stage.PREPARE, lambda task: KEY, self.handle)
        deps = Deps(self.settings, self.objects, self.bus, Peers({}))
        versions = TaskVersions(self.bus, "preparation", (), 0.0)
        worker = Worker(deps, handler, "none", self.alone, Cancellations(self.bus), versions)
        running = asyncio.create_task(worker.run(asyncio.Event()))
        async with asyncio.timeout(20):
            while not await until() or not worker.idle:
                await asyncio.sleep(0.01)
        running.cancel()
        return worker

    async def ensure(self) -> None:
        await self.bus.ensure(subjects.STREAMS, subjects.consumers(self.settings.ack_wait_s), subjects.BUCKETS)

    async def fact(self) -> DoneFact | None:
        message = await self.bus.last(FACT)
        return done_fact_from_bytes(message.data) if message else None

    async def ended(self) -> bool:
        return not await self.bus.subjects(subjects.tasks_of("ev-1"))


def work(handle: Callable[[Task, ItemContext], Result]) -> tuple[Room, Worker, DoneFact | None]:
    room = Room(handle)

    async def scenario() -> tuple[Worker, DoneFact | None]:
        return await room(room.ended), await room.fact()

    worker, fact = asyncio.run(scenario())
    return room, worker, fact


def test_the_result_is_stored_under_its_key_before_the_fact_names_it() -> None:
    room, worker, fact = work(lambda task, context: Result(b"made", counts={"documents": 3}))
    assert fact is not None
    assert fact.outcome is ItemOutcome.DONE
    assert fact.result is not None
    assert fact.result.key == KEY
    assert room.objects.read(fact.result) == b"made"
    assert fact.counts == {"documents": 3}
    assert worker.counts.executed == 1


HALF = Download("set", "https://data.example/set.zip", 10, 20)


def test_what_is_told_of_a_download_reaches_the_bus() -> None:
    def handle(task: Task, context: ItemContext) -> Result:
        context.tell_download(HALF)
        return Result(b"made")

    room, _, _ = work(handle)
    told = asyncio.run(room.bus.last(subjects.download("ev-1", "b0")))
    assert told is not None
    assert download_from_bytes(told.data) == HALF


def test_an_item_ends_well_when_the_bus_does_not_take_what_is_told_of_its_download(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refused: list[str] = []
    publish = MemoryBus.publish

    async def refuse(bus: MemoryBus, subject: str, data: bytes, **options: Any) -> bool:
        if subject != subjects.download("ev-1", "b0"):
            return await publish(bus, subject, data, **options)
        refused.append(subject)
        raise OutOfReachError("the bus is away")

    def handle(task: Task, context: ItemContext) -> Result:
        context.tell_download(HALF)
        return Result(b"made")

    monkeypatch.setattr(MemoryBus, "publish", refuse)
    _, _, fact = work(handle)
    assert refused
    assert fact is not None
    assert fact.outcome is ItemOutcome.DONE


def test_an_item_with_a_fact_is_acknowledged_and_not_worked_on() -> None:
    called: list[str] = []

    def handle(task: Task, context: ItemContext) -> Result:
        called.append(task.item)
        return Result(b"")

    async def scenario() -> DoneFact | None:
        room = Room(handle)
        await room.ensure()
        old = DoneFact("ev-1", Stage.PREPARE, "b0", ItemOutcome.DONE, ObjectRef(KEY, "0" * 64, 1), worker="first")
        await room.bus.publish(FACT, done_fact_to_bytes(old))
        await room(room.ended)
        return await room.fact()

    fact = asyncio.run(scenario())
    assert called == []
    assert fact is not None
    assert fact.worker == "first"


def test_a_result_that_somebody_left_is_used_and_not_made_again() -> None:
    async def scenario() -> tuple[Worker, DoneFact | None]:
        room = Room(lambda task, context: Result(b"mine"))
        room.objects.create(KEY, b"theirs")
        worker = await room(room.ended)
        return worker, await room.fact()

    worker, fact = asyncio.run(scenario())
    assert fact is not None
    assert fact.result is not None
    assert fact.result.size_bytes == len(b"theirs")
    assert (worker.counts.executed, worker.counts.reused) == (0, 1)


def test_whoever_stores_first_wins_even_while_another_works() -> None:
    async def scenario() -> DoneFact | None:
        def handle(task: Task, context: ItemContext) -> Result:
            context.objects.create(KEY, b"theirs")
            return Result(b"mine")

        room = Room(handle)
        await room(room.ended)
        assert room.objects.read_key(KEY) == b"theirs"
        return await room.fact()

    fact = asyncio.run(scenario())
    assert fact is not None
    assert fact.result is not None
    assert fact.result.size_bytes == len(b"theirs")


@pytest.mark.parametrize("error", [InvalidInputError("row 7 is empty"), NotFoundError("no such unit")])
def test_what_stays_wrong_is_given_up_at_once_with_its_reason_and_a_dead_letter(error: Exception) -> None:
    tries: list[int] = []

    def handle(task: Task, context: ItemContext) -> Result:
        tries.append(1)
        raise error

    room, worker, fact = work(handle)
    assert len(tries) == 1
    assert fact is not None
    assert fact.failure is not None
    assert (fact.outcome, fact.failure.kind) == (ItemOutcome.FAILED, FailureKind.INPUT)
    assert fact.failure.reason == str(error)
    assert asyncio.run(room.bus.subjects("bakeoff.v1.dead.*.*.*"))
    assert worker.counts.failed == 1


@pytest.mark.parametrize("error", [UnavailableError("the endpoint is busy"), ValueError("a bug")])
def test_what_may_pass_is_tried_again_up_to_the_limit(error: Exception) -> None:
    tries: list[int] = []

    def handle(task: Task, context: ItemContext) -> Result:
        tries.append(1)
        raise error

    _, _, fact = work(handle)
    assert len(tries) == 2
    assert fact is not None
    assert fact.failure is not None
    assert str(error) in fact.failure.reason
    assert fact.attempts == 2


def test_an_outage_of_the_platform_is_no_attempt() -> None:
    tries: list[int] = []

    def handle(task: Task, context: ItemContext) -> Result:
        tries.append(1)
        if len(tries) < 6:
            raise OutOfReachError("the object store does not answer")
        return Result(b"made")

    _, worker, fact = work(handle)
    assert fact is not None
    assert (fact.outcome, fact.attempts) == (ItemOutcome.DONE, 1)
    assert worker.ready


def test_an_item_outlives_its_ack_wait_while_it_is_worked_on() -> None:
    import time

    tries: list[int] = []

    def handle(task: Task, context: ItemContext) -> Result:
        tries.append(1)
        time.sleep(2.5)  # two and a half ack waits
        return Result(b"made")

    _, _, fact = work(handle)
    assert len(tries) == 1
    assert fact is not None


def test_an_item_that_comes_for_the_third_time_runs_alone() -> None:
    async def scenario(raises: Exception | None) -> tuple[list[str], DoneFact | None]:
        room = Room(lambda task, context: Result(b"together"), alone=Alone(raises=raises))
        await room.ensure()
        await room.bus.publish(SUBJECT, task_to_bytes(TASK))
        for _ in range(2):
            for delivery in await room.bus.fetch(subjects.stage_consumer(Stage.PREPARE, 1.0), 1, 1.0):
                await delivery.nak()
        await room(room.ended)
        return room.alone.ran, await room.fact()

    ran, fact = asyncio.run(scenario(None))
    assert ran == ["b0"]
    assert fact is not None
    assert fact.outcome is ItemOutcome.DONE

    _, fact = asyncio.run(scenario(ItemKilledError("it killed its process (signal SIGKILL)")))
    assert fact is not None
    assert fact.failure is not None
    assert fact.failure.kind is FailureKind.INFRASTRUCTURE


def test_an_item_of_a_cancelled_evaluation_is_dropped_without_a_fact() -> None:
    async def scenario(when: str) -> DoneFact | None:
        record = EvaluationRecord("ev-1", "n", "t", EvaluationState.RUNNING, "", ObjectRef("k", "0" * 64, 1))
        loop = asyncio.get_running_loop()

        async def cancel() -> None:
            cancelled = encode(replace(record, state=EvaluationState.CANCELLED))
            await room.bus.kv_put(subjects.STATES_BUCKET, token("ev-1"), cancelled)

        def handle(task: Task, context: ItemContext) -> Result:
            if when == "during":
                asyncio.run_coroutine_threadsafe(cancel(), loop).result()
            while True:
                context.begin("c1")  # raises when the cancellation is noticed

        room = Room(handle)
        await room.ensure()
        await room.bus.kv_put(subjects.STATES_BUCKET, token("ev-1"), encode(record))
        if when == "before":
            await cancel()
        await room(room.ended)
        return await room.fact()

    assert asyncio.run(scenario("before")) is None
    assert asyncio.run(scenario("during")) is None


def test_a_message_that_is_no_task_does_not_stop_the_worker() -> None:
    async def scenario() -> DoneFact | None:
        room = Room(lambda task, context: Result(b"made"))
        await room.ensure()
        await room.bus.publish("bakeoff.v1.task.prepare.ev-1.rubbish", b"\xff\xff")
        await room(room.ended)
        return await room.fact()

    assert asyncio.run(scenario()) is not None
