"""What publishing promises, on both twins of the bus."""

from __future__ import annotations

import asyncio

import pytest

from bakeoff.contract import subjects
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.bus import MAX_PAYLOAD_BYTES, Bus
from tests.contract.bus_fixtures import OnBus, accepted, done, one, task


def test_a_published_message_is_delivered_as_it_was_published(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        assert bus.connected
        assert await bus.publish(task(), b"\x00payload", headers={"ce-id": "7", "traceparent": "00-äß"})
        delivery = await one(bus)
        assert delivery.message.subject == task()
        assert delivery.message.data == b"\x00payload"
        assert delivery.message.sequence == 1
        assert dict(delivery.message.headers) == {"ce-id": "7", "traceparent": "00-äß"}
        assert delivery.deliveries == 1

    on_bus(scenario)


def test_an_empty_payload_is_a_message_like_any_other(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.publish(task(), b"")
        assert (await one(bus)).message.data == b""
        last = await bus.last(task())
        assert last is not None
        assert last.data == b""
        assert [message.data for message in await bus.messages(task())] == [b""]

    on_bus(scenario)


def test_a_task_is_refused_while_queued_and_while_in_hand_and_accepted_after_the_ack(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.publish(task(), b"1")
        assert not await bus.publish(task(), b"2")
        delivery = await one(bus)
        assert not await bus.publish(task(), b"3")
        await delivery.ack()
        assert await accepted(bus, task(), b"4")
        assert (await one(bus)).message.data == b"4"

    on_bus(scenario)


def test_the_first_fact_of_a_subject_stays_for_ever(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.publish(done(), b"first", first_only=True)
        assert not await bus.publish(done(), b"second", first_only=True)
        assert not await bus.publish(done(), b"third")
        last = await bus.last(done())
        assert last is not None
        assert last.data == b"first"

    on_bus(scenario)


def test_first_only_refuses_on_a_stream_that_keeps_many_messages_of_a_subject(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        event = subjects.event("ev", "progress")
        assert await bus.publish(event, b"1")
        assert await bus.publish(event, b"2")
        assert not await bus.publish(event, b"3", first_only=True)
        assert await bus.publish(subjects.event("ev", "accepted"), b"4", first_only=True)

    on_bus(scenario)


def test_of_many_that_publish_first_only_at_the_same_time_one_wins(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        wins = await asyncio.gather(*(bus.publish(done(), b"%d" % each, first_only=True) for each in range(20)))
        assert sum(wins) == 1
        last = await bus.last(done())
        assert last is not None
        assert last.data == b"%d" % wins.index(True)

    on_bus(scenario)


def test_a_payload_is_taken_up_to_64_kib_and_refused_beyond(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        assert MAX_PAYLOAD_BYTES == 65536
        assert await bus.publish(task(), bytes(MAX_PAYLOAD_BYTES))
        with pytest.raises(InvalidInputError, match=r"65,537 bytes"):
            await bus.publish(task("i2"), bytes(MAX_PAYLOAD_BYTES + 1))

    on_bus(scenario)


def test_publishing_on_a_subject_that_no_stream_holds_is_refused(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        for subject in ("nobody.holds.this", "bakeoff.v1.task.score.*.i1", "bakeoff..x", "a b", ""):
            with pytest.raises(InvalidInputError, match="subject"):
                await bus.publish(subject, b"x")

    on_bus(scenario)


def test_headers_that_cannot_be_sent_are_refused(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        for name, value in (("Nats-Msg-Id", "1"), ("two words", "x"), ("colon:", "x"), ("", "x"), ("lines", "a\r\nb")):
            with pytest.raises(InvalidInputError, match="header"):
                await bus.publish(task(), b"x", headers={name: value})

    on_bus(scenario)
