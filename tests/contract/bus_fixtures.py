"""Both twins of the bus under one name, and what the tests of the bus say again and again."""

from __future__ import annotations

import asyncio
import json
import selectors
from collections.abc import Awaitable, Callable
from pathlib import Path

from bakeoff.contract import subjects
from bakeoff.contract.subjects import TASKS, ConsumerSpec
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.bus import Bus, Delivery
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.nats_cluster import NatsCluster
from bakeoff.runtime.nats_server import NatsServer

Scenario = Callable[[Bus], Awaitable[None]]
OnBus = Callable[[Scenario], None]

ACK_WAIT_S = 0.4
SCORE = subjects.stage_consumer(Stage.SCORE, ACK_WAIT_S)
ADVISORIES = "$JS.EVENT.ADVISORY.CONSUMER"


def run_on(twin: str, folder: Path, scenario: Scenario) -> None:
    """Run a scenario on a bus that has everything of the contract and holds nothing yet.

    Args:
        twin: `memory`, `nats`, or `cluster` for three servers with copies of everything.
        folder: For servers.
        scenario: What is run.
    """
    if twin == "memory":
        with asyncio.Runner(loop_factory=HurriedLoop) as runner:
            runner.run(_play(MemoryBus(), scenario))
        return
    if twin == "cluster":
        with NatsCluster(folder) as cluster:
            asyncio.run(_play_on_nats(cluster, scenario, replicas=3))
        return
    with NatsServer(folder) as server:
        asyncio.run(_play_on_nats(server, scenario))


class HurriedLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next timer instead of waiting; enough where nothing comes from outside."""

    def __init__(self) -> None:
        super().__init__(JumpingSelector(self))
        self.skipped_s = 0.0

    def time(self) -> float:
        return super().time() + self.skipped_s


class JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: HurriedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout:
            self._loop.skipped_s += timeout
        return super().select(timeout if timeout is None else 0)


async def _play_on_nats(server: NatsServer | NatsCluster, scenario: Scenario, replicas: int = 1) -> None:
    await _play(await NatsBus.connect(server.url, server.token, replicas=replicas), scenario)


async def _play(bus: Bus, scenario: Scenario) -> None:
    try:
        await bus.ensure(subjects.STREAMS, subjects.consumers(ACK_WAIT_S), subjects.BUCKETS)
        await asyncio.wait_for(scenario(bus), 30)
    finally:
        await bus.close()


def task(item: str = "i1", evaluation: str = "ev") -> str:
    """Return the subject of a scoring task."""
    return subjects.task(Stage.SCORE, evaluation, item)


def done(item: str = "i1", evaluation: str = "ev") -> str:
    """Return the subject of the fact that a scoring task ended."""
    return subjects.done(evaluation, Stage.SCORE, item)


async def one(bus: Bus, consumer: ConsumerSpec = SCORE, timeout_s: float = 2.0) -> Delivery:
    """Return the one message that is there for a consumer."""
    [delivery] = await bus.fetch(consumer, 1, timeout_s)
    return delivery


async def accepted(bus: Bus, subject: str, data: bytes) -> bool:
    """Publish until it is accepted: several servers let go of a message a moment after they confirmed its end."""
    for _ in range(100):
        if await bus.publish(subject, data):
            return True
        await asyncio.sleep(0.02)
    return False


async def advisories(bus: Bus, kind: str) -> list[dict[str, object]]:
    """Return the advisories of a kind, waiting for the first."""
    for _ in range(100):
        found = await bus.messages(f"{ADVISORIES}.{kind}.{TASKS}.>")
        if found:
            return [json.loads(message.data) for message in found]
        await asyncio.sleep(0.02)
    return []
