"""How streams and consumers come to be and are emptied, on both twins of the bus."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.subjects import STATES_BUCKET, TASKS, ConsumerSpec, Retention, StreamSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.bus import Bus
from tests.contract.bus_fixtures import ACK_WAIT_S, SCORE, OnBus, one, task


def test_a_second_overlapping_consumer_of_a_work_queue_is_refused(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        rival = ConsumerSpec(TASKS, "rival", "bakeoff.v1.task.*.ev.*")
        with pytest.raises(InvalidInputError, match="rival"):
            await bus.ensure((), (rival,), ())
        with pytest.raises(InvalidInputError, match="rival"):
            await bus.fetch(rival, 1, 0.5)

    on_bus(scenario)


def test_ensure_may_be_repeated_and_raced_and_keeps_what_is_there(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(task(), b"x")
        await bus.kv_put(STATES_BUCKET, "ev", b"1")
        everything = (subjects.STREAMS, subjects.consumers(ACK_WAIT_S), subjects.BUCKETS)
        await asyncio.gather(*(bus.ensure(*everything) for _ in range(4)))
        assert await bus.last(task()) is not None
        assert await bus.kv_get(STATES_BUCKET, "ev") is not None

    on_bus(scenario)


def test_ensure_brings_a_stream_and_a_consumer_to_another_shape(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        narrow = StreamSpec("EXTRA", ("extra.a",), Retention.LIMITS)
        await bus.ensure((narrow,), (), ())
        with pytest.raises(InvalidInputError, match=r"extra\.b"):
            await bus.publish("extra.b", b"x")
        await bus.ensure((replace(narrow, subjects=("extra.a", "extra.b")),), (), ())
        assert await bus.publish("extra.b", b"x")

        await bus.ensure((), (replace(SCORE, ack_wait_s=30.0),), ())
        await bus.publish(task(), b"x")
        await one(bus, replace(SCORE, ack_wait_s=30.0))
        assert await bus.fetch(replace(SCORE, ack_wait_s=30.0), 1, ACK_WAIT_S + 0.3) == []

    on_bus(scenario)


def test_a_message_older_than_its_stream_keeps_is_gone(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.ensure((StreamSpec("BRIEF", ("brief.*",), Retention.LIMITS, max_age_s=0.5),), (), ())
        await bus.publish("brief.a", b"x")
        assert await bus.last("brief.a") is not None
        await asyncio.sleep(1.0)
        assert await bus.last("brief.a") is None
        assert await bus.messages("brief.*") == []

    on_bus(scenario)


def test_purge_removes_the_tasks_of_one_evaluation_queued_or_in_hand(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        for each in range(3):
            await bus.publish(task(f"i{each}", "ev"), b"x")
        await bus.publish(subjects.task(Stage.BUILD, "ev", "i1"), b"x")
        await bus.publish(task("i1", "other"), b"x")
        await one(bus)
        assert await bus.purge(subjects.tasks_of("ev")) == 4
        assert await bus.purge(subjects.tasks_of("ev")) == 0
        assert [delivery.message.subject for delivery in await bus.fetch(SCORE, 10, 1)] == [task("i1", "other")]
        await asyncio.sleep(ACK_WAIT_S + 0.1)
        assert [delivery.message.subject for delivery in await bus.fetch(SCORE, 10, 1)] == [task("i1", "other")]
        # JetStream counts a purged message as in hand until its ack wait is over.
        assert await bus.pending(SCORE) == 1
        assert await bus.publish(task("i0", "ev"), b"again")

    on_bus(scenario)
