"""The bus over NATS while its server is killed again and again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable

from bakeoff.contract import subjects
from bakeoff.contract.subjects import STATES_BUCKET, ConsumerSpec, Retention, StreamSpec
from bakeoff.runtime.nats_server import NatsServer
from tests.integration.nats_fixtures import ACK_WAIT_S, SCORE, connected, crash, done, task


async def crash_during(server: NatsServer, times: int, work: Awaitable[object]) -> None:
    """Crash the server several times while some work goes on, and wait for its end."""
    working = asyncio.ensure_future(work)
    for _ in range(times):
        await asyncio.sleep(0.2)
        assert not working.done(), "the work ended before the server could be killed"
        await crash(server)
    await asyncio.wait_for(working, 60)


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


def test_a_fetch_that_waits_across_a_crash_gets_its_message_before_its_time_is_up(server: NatsServer) -> None:
    async def scenario() -> None:
        async with connected(server) as bus:
            waiting = asyncio.create_task(bus.fetch(SCORE, 5, 30))
            await asyncio.sleep(0.2)
            await crash(server, away_s=0.5)
            begun = time.monotonic()
            assert await bus.publish(task("i1"), b"x")
            [delivery] = await asyncio.wait_for(waiting, 20)
            assert time.monotonic() - begun < 20
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


def test_a_word_about_a_delivery_that_the_server_has_forgotten_does_not_hang(server: NatsServer) -> None:
    async def scenario() -> None:
        kept = StreamSpec("KEPT", ("kept.*",), Retention.LIMITS)
        reader = ConsumerSpec("KEPT", "reader", "kept.*", ACK_WAIT_S)
        async with connected(server) as bus:
            await bus.ensure((kept,), (reader,), ())
            for each in range(3):
                await bus.publish(f"kept.{each}", b"x")
                await bus.publish(task(f"i{each}"), b"x")
            words = []
            for consumer in (reader, SCORE):
                first, second, third = await bus.fetch(consumer, 3, 2)
                words += [first.ack, second.nak, third.in_progress]
            await crash(server)
            await asyncio.wait_for(asyncio.gather(*(word() for word in words)), 5)
            assert {message.subject for message in await bus.messages("kept.*")} == {"kept.0", "kept.1", "kept.2"}
            assert await bus.subjects(subjects.tasks_of("ev")) == {task("i1"), task("i2")}
            await asyncio.sleep(ACK_WAIT_S)
            again = await bus.fetch(SCORE, 3, 2)
            assert {delivery.message.subject for delivery in again} == {task("i1"), task("i2")}

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
