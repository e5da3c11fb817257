"""What the bus promises, held by both of its twins."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.subjects import STATES_BUCKET, TASKS, ConsumerSpec, Retention, StreamSpec
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.bus import MAX_PAYLOAD_BYTES, Bus, Delivery
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.nats_server import NatsServer

T = TypeVar("T")
Run = Callable[[Callable[[Bus], Awaitable[T]]], T]

ACK_WAIT_S = 0.5
SCORE = subjects.stage_consumer(Stage.SCORE, ACK_WAIT_S)
ADVISORIES = "$JS.EVENT.ADVISORY.CONSUMER"


def task(item: str = "i1", evaluation: str = "ev") -> str:
    return subjects.task(Stage.SCORE, evaluation, item)


def done(item: str = "i1", evaluation: str = "ev") -> str:
    return subjects.done(evaluation, Stage.SCORE, item)


@pytest.fixture(params=["memory", "nats"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run[object]:
    """Run a scenario on a bus that has everything of the contract and holds nothing yet."""

    async def on(bus: Bus, scenario: Callable[[Bus], Awaitable[object]]) -> object:
        try:
            await bus.ensure(subjects.STREAMS, subjects.consumers(ACK_WAIT_S), subjects.BUCKETS)
            return await asyncio.wait_for(scenario(bus), 20)
        finally:
            await bus.close()

    async def on_nats(server: NatsServer, scenario: Callable[[Bus], Awaitable[object]]) -> object:
        return await on(await NatsBus.connect(server.url, server.token), scenario)

    def run(scenario: Callable[[Bus], Awaitable[object]]) -> object:
        if request.param == "memory":
            return asyncio.run(on(MemoryBus(), scenario))
        with NatsServer(tmp_path / "nats") as server:
            return asyncio.run(on_nats(server, scenario))

    return run


async def one(bus: Bus, consumer: ConsumerSpec = SCORE, timeout_s: float = 2.0) -> Delivery:
    """Return the one message that is there for a consumer."""
    [delivery] = await bus.fetch(consumer, 1, timeout_s)
    return delivery


async def advisories(bus: Bus, kind: str) -> list[dict[str, object]]:
    """Return the advisories of a kind, waiting for the first."""
    for _ in range(100):
        found = await bus.messages(f"{ADVISORIES}.{kind}.{TASKS}.>")
        if found:
            return [json.loads(message.data) for message in found]
        await asyncio.sleep(0.02)
    return []


def test_a_published_message_is_delivered_as_it_was_published(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        assert bus.connected
        assert await bus.publish(task(), b"\x00payload", headers={"ce-id": "7", "traceparent": "00-äß"})
        delivery = await one(bus)
        assert delivery.message.subject == task()
        assert delivery.message.data == b"\x00payload"
        assert delivery.message.sequence == 1
        assert dict(delivery.message.headers) == {"ce-id": "7", "traceparent": "00-äß"}
        assert delivery.deliveries == 1

    run(scenario)


def test_an_empty_payload_is_a_message_like_any_other(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.publish(task(), b"")
        assert (await one(bus)).message.data == b""
        last = await bus.last(task())
        assert last is not None
        assert last.data == b""
        assert [message.data for message in await bus.messages(task())] == [b""]

    run(scenario)


def test_a_task_is_refused_while_queued_and_while_in_hand_and_accepted_after_the_ack(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.publish(task(), b"1")
        assert not await bus.publish(task(), b"2")
        delivery = await one(bus)
        assert not await bus.publish(task(), b"3")
        await delivery.ack()
        assert await bus.publish(task(), b"4")
        assert (await one(bus)).message.data == b"4"

    run(scenario)


def test_the_first_fact_of_a_subject_stays_for_ever(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.publish(done(), b"first", first_only=True)
        assert not await bus.publish(done(), b"second", first_only=True)
        assert not await bus.publish(done(), b"third")
        last = await bus.last(done())
        assert last is not None
        assert last.data == b"first"

    run(scenario)


def test_first_only_refuses_on_a_stream_that_keeps_many_messages_of_a_subject(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        event = subjects.event("ev", "progress")
        assert await bus.publish(event, b"1")
        assert await bus.publish(event, b"2")
        assert not await bus.publish(event, b"3", first_only=True)
        assert await bus.publish(subjects.event("ev", "accepted"), b"4", first_only=True)

    run(scenario)


def test_of_many_that_publish_first_only_at_the_same_time_one_wins(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        wins = await asyncio.gather(*(bus.publish(done(), b"%d" % each, first_only=True) for each in range(20)))
        assert sum(wins) == 1
        last = await bus.last(done())
        assert last is not None
        assert last.data == b"%d" % wins.index(True)

    run(scenario)


def test_a_message_comes_again_after_the_ack_wait_and_counts_its_deliveries(run: Run[None]) -> None:
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

    run(scenario)


def test_in_progress_keeps_a_message_in_hand_beyond_the_ack_wait(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(task(), b"x")
        delivery = await one(bus)
        for _ in range(6):
            assert await bus.fetch(SCORE, 1, 0.2) == []
            await delivery.in_progress()
        await delivery.ack()
        assert await bus.fetch(SCORE, 1, ACK_WAIT_S + 0.2) == []

    run(scenario)


def test_a_message_given_back_comes_again_at_once_or_after_its_delay(run: Run[None]) -> None:
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
        assert 0.5 < loop.time() - begun < 2

    run(scenario)


def test_a_terminated_message_never_comes_again_and_is_reported(run: Run[None]) -> None:
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

    run(scenario)


def test_acknowledging_twice_or_after_the_message_is_gone_does_no_harm(run: Run[None]) -> None:
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

    run(scenario)


def test_a_late_ack_of_an_earlier_delivery_settles_the_message(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(task(), b"x")
        first = await one(bus)
        await one(bus)
        await first.ack()
        assert await bus.fetch(SCORE, 1, ACK_WAIT_S + 0.2) == []
        assert await bus.subjects(subjects.tasks_of("ev")) == frozenset()

    run(scenario)


def test_what_was_delivered_too_often_is_reported_among_the_dead_and_stays(run: Run[None]) -> None:
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

    run(scenario)


def test_fetch_returns_no_more_than_the_batch_and_what_is_there_at_once(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        loop = asyncio.get_running_loop()
        for each in range(5):
            await bus.publish(task(f"i{each}"), b"x")
        first = await bus.fetch(SCORE, 3, 2)
        assert [delivery.message.subject for delivery in first] == [task(f"i{each}") for each in range(3)]
        begun = loop.time()
        assert len(await bus.fetch(SCORE, 10, 5)) == 2
        assert loop.time() - begun < 1

    run(scenario)


def test_fetch_waits_for_the_first_message(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        assert await bus.fetch(SCORE, 5, 0.3) == []
        assert 0.2 < loop.time() - begun < 1.5
        waiting = asyncio.create_task(bus.fetch(SCORE, 5, 5))
        await asyncio.sleep(0.2)
        await bus.publish(task(), b"x")
        assert [delivery.message.subject for delivery in await asyncio.wait_for(waiting, 1)] == [task()]

    run(scenario)


def test_no_more_than_the_limit_is_in_hand(run: Run[None]) -> None:
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

    run(scenario)


def test_a_cancelled_fetch_takes_nothing_away(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        waiting = asyncio.create_task(bus.fetch(SCORE, 5, 5))
        await asyncio.sleep(0.1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await bus.publish(task(), b"x")
        assert (await one(bus)).deliveries == 1

    run(scenario)


def test_workers_of_a_stage_share_its_tasks_and_each_goes_to_one(run: Run[None]) -> None:
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

    run(scenario)


def test_a_consumer_gets_only_what_is_under_its_filter(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(subjects.task(Stage.BUILD, "ev", "i1"), b"x")
        await bus.publish(task(), b"x")
        assert [delivery.message.subject for delivery in await bus.fetch(SCORE, 10, 1)] == [task()]
        assert await bus.pending(subjects.stage_consumer(Stage.BUILD, ACK_WAIT_S)) == 1

    run(scenario)


def test_pending_counts_what_waits_and_what_is_in_hand(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.pending(SCORE) == 0
        for each in range(5):
            await bus.publish(task(f"i{each}"), b"x")
        held = await bus.fetch(SCORE, 2, 1)
        assert await bus.pending(SCORE) == 5
        await held[0].ack()
        assert await bus.pending(SCORE) == 4

    run(scenario)


def test_a_second_overlapping_consumer_of_a_work_queue_is_refused(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        rival = ConsumerSpec(TASKS, "rival", "bakeoff.v1.task.*.ev.*")
        with pytest.raises(InvalidInputError, match="rival"):
            await bus.ensure((), (rival,), ())
        with pytest.raises(InvalidInputError, match="rival"):
            await bus.fetch(rival, 1, 0.5)

    run(scenario)


def test_ensure_may_be_repeated_and_raced_and_keeps_what_is_there(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(task(), b"x")
        await bus.kv_put(STATES_BUCKET, "ev", b"1")
        everything = (subjects.STREAMS, subjects.consumers(ACK_WAIT_S), subjects.BUCKETS)
        await asyncio.gather(*(bus.ensure(*everything) for _ in range(4)))
        assert await bus.last(task()) is not None
        assert await bus.kv_get(STATES_BUCKET, "ev") is not None

    run(scenario)


def test_ensure_brings_a_stream_and_a_consumer_to_another_shape(run: Run[None]) -> None:
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

    run(scenario)


def test_a_message_older_than_its_stream_keeps_is_gone(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.ensure((StreamSpec("BRIEF", ("brief.*",), Retention.LIMITS, max_age_s=0.5),), (), ())
        await bus.publish("brief.a", b"x")
        assert await bus.last("brief.a") is not None
        await asyncio.sleep(1.0)
        assert await bus.last("brief.a") is None
        assert await bus.messages("brief.*") == []

    run(scenario)


def test_purge_removes_the_tasks_of_one_evaluation_queued_or_in_hand(run: Run[None]) -> None:
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

    run(scenario)


def test_reading_gives_the_kept_messages_under_a_filter_oldest_first(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.last(done()) is None
        assert await bus.subjects(subjects.ALL_DONE) == frozenset()
        assert await bus.messages(subjects.ALL_DONE) == []
        for item in ("c", "a", "b"):
            await bus.publish(done(item), item.encode(), headers={"kind": item}, first_only=True)
            await bus.publish(done(item, "other"), b"x", first_only=True)
        found = await bus.messages(subjects.done_of("ev"))
        assert [(message.data, message.sequence) for message in found] == [(b"c", 1), (b"a", 3), (b"b", 5)]
        assert [dict(message.headers) for message in found] == [{"kind": "c"}, {"kind": "a"}, {"kind": "b"}]
        assert await bus.subjects(subjects.done_of("ev", Stage.SCORE)) == {done(item) for item in "abc"}
        assert len(await bus.subjects(subjects.ALL_DONE)) == 6
        last = await bus.last(done("a"))
        assert last == found[1]

    run(scenario)


def test_reading_is_complete_over_many_batches(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        await asyncio.gather(*(bus.publish(done(f"i{each}"), b"x", first_only=True) for each in range(2500)))
        found = await bus.messages(subjects.ALL_DONE)
        assert [message.sequence for message in found] == list(range(1, 2501))
        assert await bus.subjects(subjects.ALL_DONE) == {message.subject for message in found}

    run(scenario)


def test_following_replays_and_then_goes_on(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        for each in range(300):
            await bus.publish(subjects.event("ev", "progress"), b"%d" % each)
            if each % 100 == 0:
                await bus.publish(subjects.event("other", "progress"), b"no")
        follower = bus.follow(subjects.events_of("ev"), after=0)
        replayed = [(await anext(follower)).data for _ in range(300)]
        assert replayed == [b"%d" % each for each in range(300)]
        waiting = asyncio.ensure_future(anext(follower))
        await asyncio.sleep(0.1)
        assert not waiting.done()
        await bus.publish(subjects.event("ev", "completed"), b"end", headers={"a": "b"})
        end = await asyncio.wait_for(waiting, 2)
        assert (end.data, dict(end.headers)) == (b"end", {"a": "b"})

        later = bus.follow(subjects.events_of("ev"), after=end.sequence - 1)
        assert await anext(later) == end

    run(scenario)


def test_following_without_a_start_begins_with_what_comes_from_now_on(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(subjects.event("ev", "accepted"), b"old")
        follower = bus.follow(subjects.events_of("ev"))
        waiting = asyncio.ensure_future(anext(follower))
        await asyncio.sleep(0.2)
        for each in range(3):
            await bus.publish(subjects.event("ev", "progress"), b"%d" % each)
        assert (await asyncio.wait_for(waiting, 2)).data == b"0"
        assert [(await anext(follower)).data for _ in range(2)] == [b"1", b"2"]

    run(scenario)


def test_a_slow_follower_misses_nothing(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        follower = bus.follow(subjects.ALL_DONE, after=0)

        async def publish() -> None:
            for start in range(0, 1200, 100):
                await asyncio.gather(*(bus.publish(done(f"i{start + each}"), b"x") for each in range(100)))

        publishing = asyncio.create_task(publish())
        seen = []
        async for message in follower:
            seen.append(message.sequence)
            if len(seen) % 100 == 0:
                await asyncio.sleep(0.01)
            if len(seen) == 1200:
                break
        await publishing
        assert seen == list(range(1, 1201))

    run(scenario)


def test_a_payload_is_taken_up_to_64_kib_and_refused_beyond(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        assert MAX_PAYLOAD_BYTES == 65536
        assert await bus.publish(task(), bytes(MAX_PAYLOAD_BYTES))
        with pytest.raises(InvalidInputError, match=r"65,537 bytes"):
            await bus.publish(task("i2"), bytes(MAX_PAYLOAD_BYTES + 1))

    run(scenario)


@pytest.mark.parametrize("subject", ["nobody.holds.this", "bakeoff.v1.task.score.*.i1", "bakeoff..x", "a b", ""])
def test_publishing_on_a_subject_that_no_stream_holds_is_refused(run: Run[None], subject: str) -> None:
    async def scenario(bus: Bus) -> None:
        with pytest.raises(InvalidInputError, match="subject"):
            await bus.publish(subject, b"x")

    run(scenario)


@pytest.mark.parametrize(
    "headers", [{"Nats-Msg-Id": "1"}, {"two words": "x"}, {"colon:": "x"}, {"": "x"}, {"lines": "a\r\nb: c"}]
)
def test_headers_that_cannot_be_sent_are_refused(run: Run[None], headers: dict[str, str]) -> None:
    async def scenario(bus: Bus) -> None:
        with pytest.raises(InvalidInputError, match="header"):
            await bus.publish(task(), b"x", headers=headers)

    run(scenario)


def test_reading_where_no_stream_is_is_refused(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        with pytest.raises(InvalidInputError, match=r"nobody\.holds"):
            await bus.last("nobody.holds.this")
        with pytest.raises(InvalidInputError, match=r"nobody\.holds"):
            await bus.messages("nobody.holds.>")
        with pytest.raises(InvalidInputError, match=r"nobody\.holds"):
            await anext(bus.follow("nobody.holds.>", after=0))
        with pytest.raises(InvalidInputError, match="NOWHERE"):
            await bus.fetch(ConsumerSpec("NOWHERE", "c", "nobody.*"), 1, 0.5)
        with pytest.raises(InvalidInputError, match="several streams"):
            await bus.subjects("bakeoff.>")

    run(scenario)


def test_a_key_is_created_once_and_changed_only_at_its_revision(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        assert await bus.kv_get(STATES_BUCKET, "ev") is None
        assert await bus.kv_update(STATES_BUCKET, "ev", b"0", 0) is None
        created = await bus.kv_create(STATES_BUCKET, "ev", b"1")
        assert created is not None
        assert await bus.kv_create(STATES_BUCKET, "ev", b"2") is None
        updated = await bus.kv_update(STATES_BUCKET, "ev", b"3", created)
        assert updated is not None
        assert updated > created
        assert await bus.kv_update(STATES_BUCKET, "ev", b"4", created) is None
        entry = await bus.kv_get(STATES_BUCKET, "ev")
        assert entry is not None
        assert (entry.key, entry.value, entry.revision) == ("ev", b"3", updated)
        put = await bus.kv_put(STATES_BUCKET, "ev", b"5")
        assert put > updated
        assert await bus.kv_update(STATES_BUCKET, "ev", b"6", updated) is None

    run(scenario)


def test_a_deleted_key_has_no_value_and_can_be_created_again(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        first = await bus.kv_create(STATES_BUCKET, "ev", b"1")
        assert first is not None
        await bus.kv_put(STATES_BUCKET, "b", b"")
        await bus.kv_put(STATES_BUCKET, "a/x.y=z", b"1")
        assert await bus.kv_keys(STATES_BUCKET) == ["a/x.y=z", "b", "ev"]
        await bus.kv_delete(STATES_BUCKET, "ev")
        await bus.kv_delete(STATES_BUCKET, "never")
        assert await bus.kv_get(STATES_BUCKET, "ev") is None
        assert await bus.kv_keys(STATES_BUCKET) == ["a/x.y=z", "b"]
        assert await bus.kv_update(STATES_BUCKET, "ev", b"2", first) is None
        assert await bus.kv_create(STATES_BUCKET, "ev", b"2") is not None
        empty = await bus.kv_get(STATES_BUCKET, "b")
        assert empty is not None
        assert empty.value == b""

    run(scenario)


def test_of_many_that_change_a_key_at_the_same_revision_one_wins(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        revision = await bus.kv_create(STATES_BUCKET, "n", b"0")
        assert revision is not None
        tries = [bus.kv_update(STATES_BUCKET, "n", b"%d" % each, revision) for each in range(10)]
        won = [each for each in await asyncio.gather(*tries) if each is not None]
        entry = await bus.kv_get(STATES_BUCKET, "n")
        assert entry is not None
        assert won == [entry.revision]

    run(scenario)


@pytest.mark.parametrize("key", ["", ".a", "a.", "a b", "a*", "ä"])
def test_a_key_with_other_characters_is_refused(run: Run[None], key: str) -> None:
    async def scenario(bus: Bus) -> None:
        with pytest.raises(InvalidInputError, match="key"):
            await bus.kv_get(STATES_BUCKET, key)
        with pytest.raises(InvalidInputError, match="key"):
            await bus.kv_put(STATES_BUCKET, key, b"x")

    run(scenario)


def test_a_bucket_that_does_not_exist_is_refused(run: Run[None]) -> None:
    async def scenario(bus: Bus) -> None:
        with pytest.raises(InvalidInputError, match="nowhere"):
            await bus.kv_get("nowhere", "a")
        with pytest.raises(InvalidInputError, match="nowhere"):
            await bus.kv_put("nowhere", "a", b"x")
        with pytest.raises(InvalidInputError, match="nowhere"):
            await bus.kv_keys("nowhere")

    run(scenario)


def test_a_closed_bus_is_out_of_reach_and_ends_what_waits(run: Run[None]) -> None:
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

    run(scenario)
