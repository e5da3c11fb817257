from __future__ import annotations

import asyncio

import pytest

from bakeoff.contract import subjects
from bakeoff.domain.errors import OutOfReachError
from bakeoff.runtime.memory_bus import MemoryBus


def test_a_bus_that_is_away_answers_nobody_and_has_lost_nothing_when_it_comes_back() -> None:
    async def scenario() -> None:
        bus = MemoryBus()
        await bus.ensure(subjects.STREAMS, subjects.consumers(30.0), subjects.BUCKETS)
        event = subjects.event("ev", "progress")
        await bus.publish(event, b"1")
        follower = bus.follow(event, after=0)
        assert (await anext(follower)).data == b"1"
        waiting = asyncio.ensure_future(anext(follower))
        fetching = asyncio.create_task(bus.fetch(subjects.REQUEST_CONSUMER, 1, 60))
        await asyncio.sleep(0)

        bus.go_away()
        assert not bus.connected
        with pytest.raises(OutOfReachError):
            await bus.publish(event, b"2")
        with pytest.raises(OutOfReachError):
            await asyncio.wait_for(fetching, 10)
        assert not waiting.done()

        bus.come_back()
        assert bus.connected
        await bus.publish(event, b"3")
        assert (await asyncio.wait_for(waiting, 10)).data == b"3"
        assert [message.data for message in await bus.messages(event)] == [b"1", b"3"]

    asyncio.run(scenario())
