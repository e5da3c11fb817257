"""The bus over NATS while its server is away, frozen or refuses."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.subjects import STATES_BUCKET, TASKS
from bakeoff.domain.errors import OutOfReachError
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.nats_server import NatsServer
from tests.integration.nats_fixtures import SCORE, connected, crash, done, task


def test_while_the_server_is_away_every_call_says_so_in_time_and_works_again_later(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server, patience_s=0.5) as bus:
            await bus.publish(task("i0"), b"x")
            [delivery] = await bus.fetch(SCORE, 1, 2)
            server.kill()
            await expect_out_of_reach(bus, [delivery.ack, delivery.in_progress, delivery.nak], server)
            assert not bus.connected
            server.start()
            await asyncio.sleep(1)
            assert bus.connected
            assert await bus.messages(subjects.ALL_DONE) == [], "what was given up arrived later"
            assert await bus.publish(done("i0"), b"x", first_only=True)
            await delivery.ack()

    asyncio.run(scenario())


def test_a_frozen_server_is_out_of_reach_in_time(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server, patience_s=0.5) as bus:
            pid = server.pid
            assert pid is not None
            os.kill(pid, signal.SIGSTOP)
            try:
                await expect_out_of_reach(bus, [], server)
            finally:
                os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(0.2)
            assert await bus.publish(task("i9"), b"x")

    asyncio.run(scenario())


async def expect_out_of_reach(bus: Bus, more: list[Callable[[], Awaitable[None]]], server: NatsServer) -> None:
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: bus.publish(done("i0"), b"x", first_only=True),
        lambda: bus.fetch(SCORE, 1, 0.5),
        lambda: bus.last(done("i0")),
        lambda: bus.messages(subjects.ALL_DONE),
        lambda: bus.subjects(subjects.ALL_DONE),
        lambda: bus.purge(subjects.tasks_of("other")),
        lambda: bus.remove(TASKS, 99),
        lambda: bus.pending(SCORE),
        lambda: bus.kv_get(STATES_BUCKET, "ev"),
        lambda: bus.kv_put(STATES_BUCKET, "ev", b"1"),
        lambda: bus.ensure(subjects.STREAMS, (), ()),
        lambda: anext(bus.follow(subjects.ALL_DONE, after=0)),
        *more,
    ]

    async def one(call: Callable[[], Awaitable[object]]) -> None:
        with pytest.raises(OutOfReachError, match=server.url.removeprefix("nats://")):
            await asyncio.wait_for(call(), 5)

    await asyncio.gather(*(one(call) for call in calls))


def test_a_server_that_comes_back_with_another_token_is_out_of_reach_until_it_takes_ours(tmp_path: Path) -> None:
    async def scenario(server: NatsServer) -> None:
        async with connected(server, patience_s=1.0) as bus:
            ours = server.token
            server.token = "another"
            await crash(server)
            with pytest.raises(OutOfReachError, match=r"(?i)authorization"):
                await bus.publish(task("i1"), b"x")
            server.token = ours
            await crash(server)
            await asyncio.sleep(0.5)
            assert await bus.publish(task("i1"), b"x")

    with NatsServer(tmp_path / "nats") as server:
        asyncio.run(scenario(server))


def test_closing_is_quick_whatever_is_under_way(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server) as bus:
            for each in range(300):
                await bus.publish(done(f"i{each}"), b"x", first_only=True)
            follower = bus.follow(subjects.ALL_DONE, after=0)
            await anext(follower)
            fetching = asyncio.create_task(bus.fetch(SCORE, 1, 30))
            await asyncio.sleep(0.1)
            begun = time.monotonic()
            await bus.close()
            assert time.monotonic() - begun < 20
            with pytest.raises(OutOfReachError, match="closed"):
                await asyncio.wait_for(fetching, 20)

    asyncio.run(scenario())
