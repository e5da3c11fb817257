"""The bus over three NATS servers while their leaders go away."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.subjects import DONE, STATES_BUCKET, TASKS
from bakeoff.domain.errors import OutOfReachError
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.bus import Message
from bakeoff.runtime.nats_api import call
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.nats_cluster import NatsCluster
from bakeoff.runtime.nats_connection import NatsConnection
from bakeoff.runtime.nats_opening import Login
from tests.integration.nats_fixtures import ACK_WAIT_S, SCORE, done, task

pytestmark = pytest.mark.slow

PATIENCE_S = 30.0
BEHIND = 1500
"""Looks, 0.02 s apart, within which a copy that has lost its disk has caught up on a busy machine."""
Work = Callable[[NatsBus, asyncio.Event], Coroutine[None, None, None]]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[NatsCluster]:
    """Three NATS servers, empty."""
    with NatsCluster(tmp_path / "nats") as cluster:
        yield cluster


@contextlib.asynccontextmanager
async def connected(cluster: NatsCluster) -> AsyncIterator[NatsBus]:
    bus = await NatsBus.connect(cluster.url, cluster.token, replicas=3, patience_s=PATIENCE_S)
    try:
        await bus.ensure(subjects.STREAMS, subjects.consumers(ACK_WAIT_S), subjects.BUCKETS)
        yield bus
    finally:
        await bus.close()


async def step_down(cluster: NatsCluster, *leaders: str) -> None:
    """Have leaders give up their place, each several times.

    Args:
        cluster: Whose.
        leaders: What they lead: `STREAM.LEADER.STEPDOWN.X` or `CONSUMER.LEADER.STEPDOWN.X.Y`.
    """
    connection = NatsConnection(Login((cluster.servers[0].url,), cluster.token, "operator"), PATIENCE_S)
    await connection.open()
    for _ in range(4):
        for operation in leaders:
            await call(connection, operation)
            await asyncio.sleep(0.3)
    await connection.close()


async def wipe_all(cluster: NatsCluster) -> None:
    """Take every server away in turn, with its disk; each is back, with all of it, before the next goes."""
    for number in range(3):
        await asyncio.to_thread(cluster.wipe, number)
        await asyncio.sleep(0.3)
        await asyncio.to_thread(cluster.start)


async def under(disturbance: Coroutine[None, None, None], work: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Do some work for as long as a disturbance lasts: it may end when the event is set."""
    over = asyncio.Event()
    working = asyncio.ensure_future(work(over))
    await asyncio.sleep(0.2)
    try:
        await disturbance
    finally:
        over.set()
        await asyncio.wait_for(working, 90)


async def publish_facts(bus: NatsBus, over: asyncio.Event) -> None:
    """Publish facts from several places at once; each is there once, and none was taken for somebody else's."""
    stored: dict[str, bool] = {}

    async def publish(lane: int) -> None:
        for each in itertools.count():
            if over.is_set():
                return
            item = f"{lane}-{each}"
            stored[item] = await bus.publish(done(item), item.encode(), first_only=True)
            await asyncio.sleep(0.02)

    await asyncio.gather(*(publish(lane) for lane in range(8)))
    refused = [item for item, first in stored.items() if not first]
    assert refused == [], "a write that succeeded at a lost try was not recognised as one's own"
    assert await bus.subjects(subjects.ALL_DONE) == {done(item) for item in stored}
    assert stored


async def work_on_tasks(bus: NatsBus, over: asyncio.Event) -> None:
    """Publish tasks and work on them; each is worked on, and none is left."""
    planned: set[str] = set()
    worked: set[str] = set()

    async def plan() -> None:
        for each in itertools.count():
            if over.is_set():
                return
            # Said before it is published: workers stay for a task whose publisher still waits for its answer.
            planned.add(task(f"i{each}"))
            await bus.publish(task(f"i{each}"), b"x")
            await asyncio.sleep(0.02)

    async def work_on(limit: int, wait_s: float) -> None:
        for delivery in await bus.fetch(SCORE, limit, wait_s):
            worked.add(delivery.message.subject)
            await delivery.ack()

    async def work() -> None:
        while not planning.done() or planned - worked:
            with contextlib.suppress(OutOfReachError):  # who was asked is gone, and with it the question: asked again
                await work_on(4, 1)

    planning = asyncio.ensure_future(plan())
    await asyncio.gather(planning, *(work() for _ in range(4)))
    assert planned
    for _ in range(20):  # what was confirmed by a leader who is gone comes again
        if await bus.pending(SCORE) == 0:
            break
        await work_on(10, ACK_WAIT_S)
    assert await bus.pending(SCORE) == 0
    assert worked == planned


async def count(bus: NatsBus, over: asyncio.Event) -> None:
    """Count one value up from several places by compare-and-set; it is what they counted together."""
    await bus.kv_create(STATES_BUCKET, "n", b"0")
    counted = 0

    async def once() -> None:
        while True:
            entry = await bus.kv_get(STATES_BUCKET, "n")
            if entry and await bus.kv_update(STATES_BUCKET, "n", b"%d" % (int(entry.value) + 1), entry.revision):
                return

    async def lane() -> None:
        nonlocal counted
        while not over.is_set():
            await once()
            counted += 1
            await asyncio.sleep(0.01)

    await asyncio.gather(*(lane() for _ in range(3)))
    assert counted
    for _ in range(BEHIND):  # a copy may answer that is a moment behind
        entry = await bus.kv_get(STATES_BUCKET, "n")
        if entry and entry.value == b"%d" % counted:
            return
        await asyncio.sleep(0.02)
    assert entry
    assert int(entry.value) == counted


async def purge_and_remove(bus: NatsBus, over: asyncio.Event) -> None:
    """Take tasks and facts away again and again; what is published after it is there, and nothing else."""
    for each in itertools.count():
        if over.is_set():
            return
        # Whether it was accepted is not asked: when the answer is lost, who asks again is told that it is there.
        for item in ("a", "b", "c"):
            await bus.publish(subjects.task(Stage.SCORE, f"ev{each}", item), b"x")
        await bus.publish(done(f"i{each}"), b"failed", first_only=True)
        await bus.purge(subjects.tasks_of(f"ev{each}"))
        assert await bus.subjects(subjects.tasks_of(f"ev{each}")) == frozenset()
        [fact] = await found(bus, done(f"i{each}"), b"failed")
        await bus.remove(DONE, fact.sequence)
        # A leader that has just come may for a moment hold what was removed; control's sweep asks again, as here.
        for _ in range(30):
            await bus.publish(done(f"i{each}"), b"again", first_only=True)
            facts = await found(bus, done(f"i{each}"), b"again", looks=50)
            if facts:
                break
        assert len(facts) == 1


async def found(bus: NatsBus, subject: str, data: bytes, looks: int = BEHIND) -> list[Message]:
    """Return the messages of a subject when the first says that: a copy may answer that is a moment behind."""
    for _ in range(looks):
        messages = await bus.messages(subject)
        if messages and messages[0].data == data:
            return messages
        await asyncio.sleep(0.02)
    return []


async def follow(bus: NatsBus, over: asyncio.Event) -> None:
    """Follow facts while they are published; each is seen once, in order."""
    seen: list[int] = []
    published = 0

    async def watch() -> None:
        async for message in bus.follow(subjects.ALL_DONE, after=0):
            seen.append(message.sequence)
            if message.data == b"the last":
                return

    async def publish() -> None:
        nonlocal published
        while not over.is_set():
            published += await bus.publish(done(f"i{published}"), b"x", first_only=True)
            await asyncio.sleep(0.01)
        published += await bus.publish(done("last"), b"the last", first_only=True)

    await asyncio.gather(watch(), publish())
    assert seen == sorted(set(seen))
    assert len(seen) == published


LEADERS: dict[Work, list[str]] = {
    publish_facts: [f"STREAM.LEADER.STEPDOWN.{DONE}"],
    work_on_tasks: [f"STREAM.LEADER.STEPDOWN.{TASKS}", f"CONSUMER.LEADER.STEPDOWN.{TASKS}.{SCORE.durable}"],
    count: [f"STREAM.LEADER.STEPDOWN.KV_{STATES_BUCKET}"],
    purge_and_remove: [f"STREAM.LEADER.STEPDOWN.{stream}" for stream in (TASKS, DONE)],
    follow: [f"STREAM.LEADER.STEPDOWN.{DONE}"],
}
"""What is done, and who leads what it needs."""


@pytest.mark.parametrize("work", LEADERS, ids=lambda work: str(work.__name__))
def test_work_goes_on_while_leaders_step_down(cluster: NatsCluster, work: Work) -> None:
    async def scenario() -> None:
        async with connected(cluster) as bus:
            await under(step_down(cluster, *LEADERS[work]), partial(work, bus))

    asyncio.run(scenario())


@pytest.mark.parametrize("work", LEADERS, ids=lambda work: str(work.__name__))
def test_work_goes_on_while_each_server_in_turn_loses_its_disk(cluster: NatsCluster, work: Work) -> None:
    async def scenario() -> None:
        async with connected(cluster) as bus:
            await under(wipe_all(cluster), partial(work, bus))

    asyncio.run(scenario())


def test_one_server_of_three_is_too_few_and_said_to_be_out_of_reach(cluster: NatsCluster) -> None:
    async def scenario() -> None:
        async with connected(cluster) as bus:
            for server in cluster.servers[1:]:
                server.kill()
            impatient = await NatsBus.connect(cluster.servers[0].url, cluster.token, replicas=3, patience_s=3)
            with pytest.raises(OutOfReachError):
                await impatient.publish(task("i1"), b"x")
            await impatient.close()
            await asyncio.to_thread(cluster.start)
            assert await bus.publish(task("i2"), b"x")

    asyncio.run(scenario())
