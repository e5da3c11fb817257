"""What the tests of the bus over a real NATS server say again and again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from bakeoff.contract import subjects
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.nats_server import NatsServer

ACK_WAIT_S = 1.0
SCORE = subjects.stage_consumer(Stage.SCORE, ACK_WAIT_S)


@contextlib.asynccontextmanager
async def connected(server: NatsServer, patience_s: float = 10.0) -> AsyncIterator[NatsBus]:
    """Connect to a server, make everything of the contract, and close at the end."""
    bus = await NatsBus.connect(server.url, server.token, patience_s=patience_s)
    try:
        await bus.ensure(subjects.STREAMS, subjects.consumers(ACK_WAIT_S), subjects.BUCKETS)
        yield bus
    finally:
        await bus.close()


async def crash(server: NatsServer, away_s: float = 0.1) -> None:
    """Kill the server without warning, and bring it back on its port and data."""
    server.kill()
    await asyncio.sleep(away_s)
    await asyncio.to_thread(server.start)


def task(item: str) -> str:
    """Return the subject of a scoring task."""
    return subjects.task(Stage.SCORE, "ev", item)


def done(item: str) -> str:
    """Return the subject of the fact that a scoring task ended."""
    return subjects.done("ev", Stage.SCORE, item)
