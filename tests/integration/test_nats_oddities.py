"""The bus over NATS when somebody else meddles with the server."""

from __future__ import annotations

import asyncio

import nats
import pytest

from bakeoff.contract import subjects
from bakeoff.contract.subjects import TASKS
from bakeoff.domain.errors import OutOfReachError
from bakeoff.domain.evaluation import Stage
from bakeoff.runtime.nats_server import NatsServer
from tests.integration.nats_fixtures import SCORE, connected, done, task


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
