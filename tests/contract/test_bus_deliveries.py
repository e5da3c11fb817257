"""What becomes of a message in hand, on both twins of the bus."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from bakeoff.contract import subjects
from bakeoff.contract.subjects import TASKS
from bakeoff.runtime.bus import Bus
from tests.contract.bus_fixtures import ACK_WAIT_S, ADVISORIES, SCORE, OnBus, advisories, one, task


def test_a_message_comes_again_after_the_ack_wait_and_counts_its_deliveries(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        loop = asyncio.get_running_loop()
        await bus.publish(task(), b"x")
        first = await one(bus)
        begun = loop.time()
        assert await bus.fetch(SCORE, 1, 0.1) == []
        second = await one(bus)
        assert 0.8 * ACK_WAIT_S < loop.time() - begun < ACK_WAIT_S + 1
        assert (first.deliveries, second.deliveries) == (1, 2)
        assert second.message == first.message
        await second.ack()
        assert await bus.pending(SCORE) == 0

    on_bus(scenario)


def test_in_progress_keeps_a_message_in_hand_beyond_the_ack_wait(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(task(), b"x")
        delivery = await one(bus)
        for _ in range(4):
            assert await bus.fetch(SCORE, 1, 0.2) == []
            await delivery.in_progress()
        await delivery.ack()
        assert await bus.fetch(SCORE, 1, ACK_WAIT_S + 0.2) == []

    on_bus(scenario)


def test_a_message_given_back_comes_again_at_once_or_after_its_delay(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        loop = asyncio.get_running_loop()
        patient = replace(SCORE, ack_wait_s=30.0)
        await bus.ensure((), (patient,), ())
        await bus.publish(task(), b"x")
        await (await one(bus, patient)).nak()
        again = await one(bus, patient)
        assert again.deliveries == 2
        begun = loop.time()
        await again.nak(delay_s=0.6)
        assert await bus.fetch(patient, 1, 0.3) == []
        assert await bus.pending(patient) == 1
        assert (await one(bus, patient)).deliveries == 3
        assert 0.5 < loop.time() - begun < 20

    on_bus(scenario)


def test_a_terminated_message_never_comes_again_and_is_reported(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(task(), b"x")
        await (await one(bus)).term()
        assert await bus.fetch(SCORE, 1, ACK_WAIT_S + 0.2) == []
        assert await bus.pending(SCORE) == 0
        assert await bus.publish(task(), b"y")
        [advisory] = await advisories(bus, "MSG_TERMINATED")
        assert advisory["stream"] == TASKS
        assert advisory["consumer"] == SCORE.durable
        assert (advisory["stream_seq"], advisory["deliveries"]) == (1, 1)

    on_bus(scenario)


def test_acknowledging_twice_or_after_the_message_is_gone_does_no_harm(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(task(), b"x")
        first = await one(bus)
        second = await one(bus)
        await second.ack()
        await second.ack()
        await first.ack()
        await first.nak()
        await first.term()
        await bus.publish(task("other"), b"x")
        purged = await one(bus)
        await bus.purge(subjects.tasks_of("ev"))
        await purged.in_progress()
        await purged.ack()
        assert await bus.fetch(SCORE, 1, 0.1) == []

    on_bus(scenario)


def test_a_late_ack_of_an_earlier_delivery_settles_the_message(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(task(), b"x")
        first = await one(bus)
        await one(bus)
        await first.ack()
        assert await bus.fetch(SCORE, 1, ACK_WAIT_S + 0.2) == []
        assert await bus.subjects(subjects.tasks_of("ev")) == frozenset()

    on_bus(scenario)


def test_what_was_delivered_too_often_is_reported_among_the_dead_and_stays(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        strict = replace(SCORE, max_deliver=2)
        await bus.ensure((), (strict,), ())
        await bus.publish(task("healthy"), b"x")
        await (await one(bus, strict)).ack()
        await bus.publish(task(), b"x")
        for expected in (1, 2):
            assert (await one(bus, strict)).deliveries == expected
        assert await bus.fetch(strict, 1, ACK_WAIT_S + 0.5) == []

        dead = await one(bus, subjects.DEAD_CONSUMER)
        assert dead.message.subject == f"{ADVISORIES}.MAX_DELIVERIES.{TASKS}.{SCORE.durable}"
        advisory = json.loads(dead.message.data)
        assert advisory["stream"] == TASKS
        assert advisory["consumer"] == SCORE.durable
        assert (advisory["stream_seq"], advisory["deliveries"]) == (2, 2)
        await dead.ack()

        assert not await bus.publish(task(), b"y")
        assert await bus.pending(strict) == 0
        removed = await bus.remove(TASKS, 2)
        assert removed is not None
        assert removed.subject == task()
        assert await bus.remove(TASKS, 2) is None
        assert await bus.publish(task(), b"z")

    on_bus(scenario)
