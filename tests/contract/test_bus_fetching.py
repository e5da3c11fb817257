"""What fetching promises, on both twins of the bus."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bakeoff.contract import subjects
from bakeoff.domain.errors import OutOfReachError
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.bus import Bus
from tests.contract.bus_fixtures import ACK_WAIT_S, SCORE, OnBus, done, one, task


def test_fetch_returns_no_more_than_the_batch_and_what_is_there_at_once(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        loop = asyncio.get_running_loop()
        for each in range(5):
            await bus.publish(task(f"i{each}"), b"x")
        first = await bus.fetch(SCORE, 3, 2)
        assert [delivery.message.subject for delivery in first] == [task(f"i{each}") for each in range(3)]
        begun = loop.time()
        assert len(await bus.fetch(SCORE, 10, 5)) == 2
        assert loop.time() - begun < 4

    on_bus(scenario)


def test_fetch_waits_for_the_first_message(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        assert await bus.fetch(SCORE, 5, 0.3) == []
        assert 0.2 < loop.time() - begun < 15
        waiting = asyncio.create_task(bus.fetch(SCORE, 5, 5))
        await asyncio.sleep(0.2)
        await bus.publish(task(), b"x")
        assert [delivery.message.subject for delivery in await asyncio.wait_for(waiting, 4)] == [task()]

    on_bus(scenario)


def test_no_more_than_the_limit_is_in_hand(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        narrow = replace(SCORE, max_ack_pending=2, ack_wait_s=10.0)
        await bus.ensure((), (narrow,), ())
        for each in range(4):
            await bus.publish(task(f"i{each}"), b"x")
        held = await bus.fetch(narrow, 10, 2)
        assert len(held) == 2
        assert await bus.fetch(narrow, 10, 0.3) == []
        await held[0].ack()
        assert [delivery.message.subject for delivery in await bus.fetch(narrow, 10, 2)] == [task("i2")]

    on_bus(scenario)


def test_a_cancelled_fetch_takes_nothing_away(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        waiting = asyncio.create_task(bus.fetch(SCORE, 5, 5))
        await asyncio.sleep(0.1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await bus.publish(task(), b"x")
        assert (await one(bus)).deliveries == 1

    on_bus(scenario)


def test_workers_of_a_stage_share_its_tasks_and_each_goes_to_one(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        patient = replace(SCORE, ack_wait_s=30.0)
        await bus.ensure((), (patient,), ())
        for each in range(60):
            await bus.publish(task(f"i{each}"), b"x")

        async def work() -> list[str]:
            taken: list[str] = []
            while deliveries := await bus.fetch(patient, 7, 0.3):
                taken += [delivery.message.subject for delivery in deliveries]
                await asyncio.gather(*(delivery.ack() for delivery in deliveries))
            return taken

        shares = await asyncio.gather(*(work() for _ in range(3)))
        assert sorted(item for share in shares for item in share) == sorted(task(f"i{each}") for each in range(60))

    on_bus(scenario)


def test_a_consumer_gets_only_what_is_under_its_filter(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(subjects.task(Stage.BUILD, "ev", "i1"), b"x")
        await bus.publish(task(), b"x")
        assert [delivery.message.subject for delivery in await bus.fetch(SCORE, 10, 1)] == [task()]
        assert await bus.pending(subjects.stage_consumer(Stage.BUILD, ACK_WAIT_S)) == 1

    on_bus(scenario)


def test_pending_counts_what_waits_and_what_is_in_hand(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.pending(SCORE) == 0
        for each in range(5):
            await bus.publish(task(f"i{each}"), b"x")
        held = await bus.fetch(SCORE, 2, 1)
        assert await bus.pending(SCORE) == 5
        await held[0].ack()
        assert await bus.pending(SCORE) == 4

    on_bus(scenario)


def test_a_closed_bus_is_out_of_reach_and_ends_what_waits(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(task(), b"x")
        delivery = await one(bus)
        fetching = asyncio.create_task(bus.fetch(SCORE, 1, 5))
        following = asyncio.ensure_future(anext(bus.follow(subjects.ALL_DONE, after=0)))
        await asyncio.sleep(0.1)
        await bus.close()
        assert not bus.connected
        for waiting in (fetching, following, delivery.ack(), bus.publish(task("i2"), b"x"), bus.last(done())):
            with pytest.raises(OutOfReachError):
                await asyncio.wait_for(waiting, 3)
        await bus.close()

    on_bus(scenario)
