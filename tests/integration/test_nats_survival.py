"""The bus over NATS when the server is killed, frozen, away, or refuses."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import nats
import pytest

from bakeoff.contract import subjects
from bakeoff.contract.subjects import STATES_BUCKET, TASKS
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.child_process import LOOPBACK, free_port
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.nats_server import NatsServer

ACK_WAIT_S = 1.0
SCORE = subjects.stage_consumer(Stage.SCORE, ACK_WAIT_S)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    with NatsServer(tmp_path / "nats") as server:
        yield server


@contextlib.asynccontextmanager
async def connected(server: NatsServer, patience_s: float = 10.0) -> AsyncIterator[NatsBus]:
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


async def crash_during(server: NatsServer, times: int, work: Awaitable[object]) -> None:
    """Crash the server several times while some work goes on, and wait for its end."""
    working = asyncio.ensure_future(work)
    for _ in range(times):
        await asyncio.sleep(0.2)
        assert not working.done(), "the work ended before the server could be killed"
        await crash(server)
    await asyncio.wait_for(working, 60)


def task(item: str) -> str:
    return subjects.task(Stage.SCORE, "ev", item)


def done(item: str) -> str:
    return subjects.done("ev", Stage.SCORE, item)


def test_publishing_across_crashes_stores_each_fact_once_and_loses_none(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server) as bus:
            stored: dict[str, bool] = {}

            async def publish(lane: int) -> None:
                for each in range(150):
                    item = f"{lane}-{each}"
                    stored[item] = await bus.publish(done(item), item.encode(), first_only=True)
                    await asyncio.sleep(0.005)

            await crash_during(server, 3, asyncio.gather(*(publish(lane) for lane in range(8))))
            assert all(stored.values()), "a write that succeeded at a lost try was not recognised as one's own"
            found = await bus.messages(subjects.ALL_DONE)
            assert sorted(message.data.decode() for message in found) == sorted(stored)

    asyncio.run(scenario())


def test_a_retried_publish_that_is_not_fenced_is_stored_once(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server) as bus:

            async def publish(lane: int) -> None:
                for each in range(150):
                    await bus.publish(subjects.event("ev", f"lane-{lane}"), b"%d" % each)
                    await asyncio.sleep(0.005)

            await crash_during(server, 3, asyncio.gather(*(publish(lane) for lane in range(8))))
            for lane in range(8):
                found = await bus.messages(subjects.event("ev", f"lane-{lane}"))
                assert [int(message.data) for message in found] == list(range(150))

    asyncio.run(scenario())


def test_working_across_crashes_loses_no_task(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server) as bus:
            planned = {task(f"i{each}") for each in range(600)}
            await asyncio.gather(*(bus.publish(subject, b"x") for subject in planned))
            worked: list[str] = []

            async def work() -> None:
                while set(worked) < planned:
                    for delivery in await bus.fetch(SCORE, 4, 2):
                        await asyncio.sleep(0.005)
                        worked.append(delivery.message.subject)
                        await delivery.ack()

            await crash_during(server, 3, asyncio.gather(*(work() for _ in range(4))))
            assert set(worked) == planned
            await asyncio.sleep(ACK_WAIT_S)
            assert [delivery.message.subject for delivery in await bus.fetch(SCORE, 10, 0.5)] == []
            assert await bus.pending(SCORE) == 0

    asyncio.run(scenario())


def test_a_fetch_that_waits_across_a_crash_gets_its_message_within_five_seconds(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server) as bus:
            waiting = asyncio.create_task(bus.fetch(SCORE, 5, 30))
            await asyncio.sleep(0.2)
            await crash(server, away_s=0.5)
            begun = time.monotonic()
            assert await bus.publish(task("i1"), b"x")
            [delivery] = await asyncio.wait_for(waiting, 5)
            assert time.monotonic() - begun < 5
            await delivery.ack()

    asyncio.run(scenario())


def test_what_is_in_hand_at_a_crash_can_be_acknowledged_after_it(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server) as bus:
            await bus.publish(task("i1"), b"x")
            [delivery] = await bus.fetch(SCORE, 1, 2)
            server.kill()
            acknowledging = asyncio.create_task(delivery.ack())
            await asyncio.sleep(0.3)
            assert not acknowledging.done()
            await asyncio.to_thread(server.start)
            await asyncio.wait_for(acknowledging, 5)
            assert await bus.subjects(subjects.tasks_of("ev")) == frozenset()
            assert await bus.publish(task("i1"), b"again")

    asyncio.run(scenario())


def test_following_across_crashes_has_no_gap_and_no_repetition(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server) as bus:
            seen: list[int] = []

            async def follow() -> None:
                async for message in bus.follow(subjects.ALL_DONE, after=0):
                    seen.append(message.sequence)
                    if len(seen) == 600:
                        return

            async def publish() -> None:
                for each in range(600):
                    await bus.publish(done(f"i{each}"), b"x", first_only=True)
                    await asyncio.sleep(0.002)

            await crash_during(server, 3, asyncio.gather(follow(), publish()))
            assert seen == list(range(1, 601))

    asyncio.run(scenario())


def test_compare_and_set_across_crashes_counts_exactly(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server) as bus:
            await bus.kv_create(STATES_BUCKET, "n", b"0")

            async def count() -> None:
                for _ in range(60):
                    while True:
                        entry = await bus.kv_get(STATES_BUCKET, "n")
                        assert entry is not None
                        value = b"%d" % (int(entry.value) + 1)
                        if await bus.kv_update(STATES_BUCKET, "n", value, entry.revision):
                            break
                    await asyncio.sleep(0.01)

            await crash_during(server, 3, asyncio.gather(*(count() for _ in range(3))))
            entry = await bus.kv_get(STATES_BUCKET, "n")
            assert entry is not None
            assert entry.value == b"180"

    asyncio.run(scenario())


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


def test_a_server_that_is_not_there_is_out_of_reach_and_named() -> None:
    port = free_port()
    begun = time.monotonic()
    with pytest.raises(OutOfReachError, match=f"127.0.0.1:{port}"):
        asyncio.run(NatsBus.connect(f"nats://127.0.0.1:{port}", "token", patience_s=1.0))
    assert 0.8 < time.monotonic() - begun < 3


def test_something_that_is_no_bus_is_out_of_reach() -> None:
    with socket.create_server((LOOPBACK, 0)) as silent:
        port = silent.getsockname()[1]
        begun = time.monotonic()
        with pytest.raises(OutOfReachError, match=f"127.0.0.1:{port}"):
            asyncio.run(NatsBus.connect(f"nats://127.0.0.1:{port}", patience_s=1.0))
        assert time.monotonic() - begun < 4


def test_connecting_waits_for_a_server_that_comes_up(tmp_path: Path) -> None:
    async def scenario() -> None:
        server = NatsServer(tmp_path / "nats", port=free_port())
        connecting = asyncio.create_task(NatsBus.connect(server.url, server.token, patience_s=10))
        await asyncio.sleep(0.5)
        try:
            await asyncio.to_thread(server.start)
            bus = await connecting
            assert bus.connected
            await bus.close()
        finally:
            server.stop()

    asyncio.run(scenario())


@pytest.mark.parametrize("token", ["wrong-and-secret", ""])
def test_a_wrong_token_is_refused_at_once(server: NatsServer, token: str) -> None:
    begun = time.monotonic()
    with pytest.raises(InvalidInputError, match="token") as caught:
        asyncio.run(NatsBus.connect(server.url, token, patience_s=10))
    assert time.monotonic() - begun < 2
    assert "wrong-and-secret" not in str(caught.value)
    assert server.token not in str(caught.value)


@pytest.mark.parametrize("url", ["nats://", "nats://host:port", "nats://127.0.0.1:1,ws://127.0.0.1:2"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError, match="address"):
        asyncio.run(NatsBus.connect(url, patience_s=2))


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


def test_a_consumer_that_somebody_deleted_is_made_again(server: NatsServer) -> None:
    async def scenario() -> None:
        other = await nats.connect(server.url, token=server.token)
        async with connected(server) as bus:
            waiting = asyncio.create_task(bus.fetch(SCORE, 1, 10))
            await asyncio.sleep(0.2)
            await other.jetstream().delete_consumer(TASKS, SCORE.durable)
            await bus.publish(task("i1"), b"x")
            [delivery] = await asyncio.wait_for(waiting, 5)
            await delivery.ack()
            await other.jetstream().delete_consumer(TASKS, SCORE.durable)
            assert await bus.pending(SCORE) == 0
            assert await bus.fetch(SCORE, 1, 0.2) == []
        await other.close()

    asyncio.run(scenario())


def test_a_stream_that_is_full_is_out_of_reach_and_not_taken_for_a_repetition(server: NatsServer) -> None:
    async def scenario() -> None:
        other = await nats.connect(server.url, token=server.token)
        await other.jetstream().add_stream(name="FULL", subjects=["full.*"], max_msgs=1, discard="new")
        async with connected(server, patience_s=0.5) as bus:
            assert await bus.publish("full.a", b"x")
            with pytest.raises(OutOfReachError, match="maximum messages exceeded"):
                await bus.publish("full.b", b"x")
        await other.close()

    asyncio.run(scenario())


def test_a_stream_that_was_made_anew_is_followed_from_its_start(server: NatsServer) -> None:
    async def scenario() -> None:
        other = await nats.connect(server.url, token=server.token)
        async with connected(server) as bus:
            for each in range(5):
                await bus.publish(done(f"old-{each}"), b"old", first_only=True)
            follower = bus.follow(subjects.ALL_DONE, after=0)
            for _ in range(5):
                assert (await anext(follower)).data == b"old"
            waiting = asyncio.ensure_future(anext(follower))
            await asyncio.sleep(0.1)
            await other.jetstream().delete_stream(subjects.DONE)
            await bus.ensure(subjects.STREAMS, (), ())
            await bus.publish(done("new"), b"new", first_only=True)
            assert (await asyncio.wait_for(waiting, 5)).data == b"new"
        await other.close()

    asyncio.run(scenario())


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
            assert time.monotonic() - begun < 2
            with pytest.raises(OutOfReachError, match="closed"):
                await asyncio.wait_for(fetching, 2)

    asyncio.run(scenario())


def test_a_cancelled_fetch_gives_back_at_once_what_had_arrived(server: NatsServer) -> None:
    async def scenario() -> None:
        patient = subjects.stage_consumer(Stage.SCORE, 60.0)
        async with connected(server) as bus:
            await bus.ensure((), (patient,), ())
            for each in range(50):
                fetching = asyncio.create_task(bus.fetch(patient, 10, 5))
                await asyncio.sleep(0.01)
                await bus.publish(task(f"i{each}"), b"x")
                await asyncio.sleep(0.0002 * (each % 5))
                fetching.cancel()
                [outcome] = await asyncio.gather(fetching, return_exceptions=True)
                held = outcome if isinstance(outcome, list) else await bus.fetch(patient, 10, 3)
                assert [delivery.message.subject for delivery in held] == [task(f"i{each}")]
                await held[0].ack()

    asyncio.run(scenario())
