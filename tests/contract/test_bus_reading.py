"""What reading and following promise, on both twins of the bus."""

from __future__ import annotations

import asyncio

import pytest

from bakeoff.contract import subjects
from bakeoff.contract.subjects import ConsumerSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.bus import Bus
from tests.contract.bus_fixtures import OnBus, done


def test_reading_gives_the_kept_messages_under_a_filter_oldest_first(on_bus: OnBus) -> None:
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

    on_bus(scenario)


def test_reading_is_complete_over_many_batches(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await asyncio.gather(*(bus.publish(done(f"i{each}"), b"x", first_only=True) for each in range(2500)))
        found = await bus.messages(subjects.ALL_DONE)
        assert [message.sequence for message in found] == list(range(1, 2501))
        assert await bus.subjects(subjects.ALL_DONE) == {message.subject for message in found}

    on_bus(scenario)


def test_following_replays_and_then_goes_on(on_bus: OnBus) -> None:
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
        end = await asyncio.wait_for(waiting, 20)
        assert (end.data, dict(end.headers)) == (b"end", {"a": "b"})

        later = bus.follow(subjects.events_of("ev"), after=end.sequence - 1)
        assert await anext(later) == end

    on_bus(scenario)


def test_following_without_a_start_begins_with_what_comes_from_now_on(on_bus: OnBus) -> None:
    async def scenario(bus: Bus) -> None:
        await bus.publish(subjects.event("ev", "accepted"), b"old")
        follower = bus.follow(subjects.events_of("ev"))
        waiting = asyncio.ensure_future(anext(follower))
        await asyncio.sleep(1)
        for each in range(3):
            await bus.publish(subjects.event("ev", "progress"), b"%d" % each)
        assert (await asyncio.wait_for(waiting, 20)).data == b"0"
        assert [(await anext(follower)).data for _ in range(2)] == [b"1", b"2"]

    on_bus(scenario)


def test_a_slow_follower_misses_nothing(on_bus: OnBus) -> None:
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

    on_bus(scenario)


def test_reading_where_no_stream_is_is_refused(on_bus: OnBus) -> None:
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

    on_bus(scenario)
