"""Limiters against endpoints that refuse, on a clock that jumps: minutes pass in a second."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from bakeoff.contract.stored import decode
from bakeoff.contract.subjects import LIMITS_BUCKET
from bakeoff.models.limiter import LocalLimiter, Outcome
from bakeoff.models.model_settings import Bounds, ModelSettings
from bakeoff.models.shared_limiter import LEASE_S, SharedLimiter, sheet_key
from bakeoff.models.shares import Sheet
from bakeoff.runtime.bus import Entry
from bakeoff.runtime.memory_bus import MemoryBus
from tests.contract.bus_fixtures import HurriedLoop
from tests.unit.models.simulated_endpoint import SimulatedEndpoint, press

BOUNDS = Bounds()


def play(scenario: Callable[[], Awaitable[None]]) -> None:
    async def played() -> None:
        await scenario()

    with asyncio.Runner(loop_factory=HurriedLoop) as runner:
        runner.run(played())


async def shared(workers: int) -> tuple[MemoryBus, list[SharedLimiter]]:
    bus = MemoryBus()
    await bus.ensure((), (), (LIMITS_BUCKET,))
    clock = asyncio.get_running_loop().time
    return bus, [SharedLimiter(bus, "endpoint", BOUNDS, clock=clock) for _ in range(workers)]


@pytest.mark.parametrize(("burst", "latency_s"), [(50, 0.05), (50, 0.2), (10, 0.05)])
def test_eight_workers_use_what_an_endpoint_allows_and_are_hardly_refused(burst: float, latency_s: float) -> None:
    async def scenario() -> None:
        endpoint = SimulatedEndpoint(50, burst, latency_s)
        _, limiters = await shared(8)

        await press(endpoint, limiters, 150)

        assert endpoint.answered > 0.95 * 50 * 150
        assert endpoint.refused_share < 0.02

    play(scenario)


def test_a_process_alone_does_so_too() -> None:
    async def scenario() -> None:
        endpoint = SimulatedEndpoint(50, 50, 0.05)

        await press(endpoint, [LocalLimiter(BOUNDS)], 150)

        assert endpoint.answered > 0.95 * 50 * 150
        assert endpoint.refused_share < 0.02

    play(scenario)


def test_an_endpoint_without_limits_is_soon_used_to_the_bounds() -> None:
    async def scenario() -> None:
        endpoint = SimulatedEndpoint(1e9, 1e9, 0.2)
        limiter = LocalLimiter(BOUNDS)

        await press(endpoint, [limiter], 3, clients=400)

        assert limiter.allowance.at_once == BOUNDS.most_at_once
        assert endpoint.refused == 0

    play(scenario)


def test_a_limit_that_is_raised_is_found() -> None:
    async def scenario() -> None:
        endpoint = SimulatedEndpoint(20, 10, 0.05)
        limiter = LocalLimiter(BOUNDS)
        await press(endpoint, [limiter], 30)
        endpoint.per_s, before = 100, endpoint.answered

        await press(endpoint, [limiter], 60)

        assert endpoint.answered - before > 0.6 * 100 * 60

    play(scenario)


def test_a_limit_that_is_lowered_is_obeyed() -> None:
    async def scenario() -> None:
        endpoint = SimulatedEndpoint(100, 50, 0.05)
        limiter = LocalLimiter(BOUNDS)
        await press(endpoint, [limiter], 30)
        endpoint.per_s, before = 20, endpoint.refused

        await press(endpoint, [limiter], 60)

        assert endpoint.refused - before < 0.1 * 20 * 60

    play(scenario)


def test_the_share_of_a_worker_that_is_killed_comes_back() -> None:
    async def scenario() -> None:
        endpoint = SimulatedEndpoint(1e9, 1e9, 0.05)
        _, (killed, living) = await shared(2)
        killing = asyncio.create_task(press(endpoint, [killed], 60))
        pressing = asyncio.create_task(press(endpoint, [living], 60))
        await asyncio.sleep(10)
        assert {name: member.share for name, member in living.sheet.members.items()} == {
            killed.name: 0.5,
            living.name: 0.5,
        }

        killing.cancel()
        assert killed._task is not None
        killed._task.cancel()  # as with SIGKILL: nothing is given back
        await asyncio.sleep(LEASE_S + 1.0)

        assert list(living.sheet.members) == [living.name]
        assert living.sheet.members[living.name].share == 1.0
        pressing.cancel()

    play(scenario)


def test_who_has_nothing_to_ask_leaves_the_sheet() -> None:
    async def scenario() -> None:
        _, limiters = await shared(3)
        await press(SimulatedEndpoint(1e9, 1e9, 0.05), limiters, 5)
        await asyncio.sleep(1)

        await press(SimulatedEndpoint(1e9, 1e9, 0.05), limiters[:1], 5)

        assert len(limiters[0].sheet.members) <= 1

    play(scenario)


def test_nobody_asks_on_when_the_bus_is_away_for_a_lease_and_all_do_when_it_is_back() -> None:
    async def scenario() -> None:
        endpoint = SimulatedEndpoint(1e9, 1e9, 0.05)
        bus, limiters = await shared(2)
        pressing = asyncio.create_task(press(endpoint, limiters, 60))
        await asyncio.sleep(10)

        bus.go_away()
        await asyncio.sleep(LEASE_S + 1)
        stopped = endpoint.answered
        await asyncio.sleep(10)
        assert endpoint.answered == stopped

        bus.come_back()
        await asyncio.sleep(2)
        assert endpoint.answered > stopped
        pressing.cancel()

    play(scenario)


def test_what_was_refused_under_an_older_allowance_says_nothing_of_the_present_one() -> None:
    async def scenario() -> None:
        limiter = LocalLimiter(BOUNDS)
        turns = [await limiter.enter() for _ in range(8)]
        await asyncio.sleep(2)
        for turn in turns[:4]:
            limiter.leave(turn, Outcome.REFUSED)
            await asyncio.sleep(0.2)
        after = limiter.allowance
        assert after.per_s < BOUNDS.start_per_s

        for turn in turns[4:]:
            limiter.leave(turn, Outcome.REFUSED)
            await asyncio.sleep(2)

        assert limiter.allowance.per_s >= after.per_s

    play(scenario)


def test_all_who_use_an_address_share_its_limits_whatever_the_model() -> None:
    first, second = ModelSettings("http://h/v1/", "a"), ModelSettings("http://h/v1", "b")

    assert sheet_key(first) == sheet_key(second) != sheet_key(ModelSettings("http://i/v1", "a"))


class SlowBus(MemoryBus):
    """A bus that takes its time."""

    async def kv_get(self, bucket: str, key: str) -> Entry | None:
        await asyncio.sleep(0.05)
        return await super().kv_get(bucket, key)


def test_whoever_comes_while_the_share_is_given_back_gets_a_turn() -> None:
    async def scenario() -> None:
        bus = SlowBus()
        await bus.ensure((), (), (LIMITS_BUCKET,))
        limiter = SharedLimiter(bus, "endpoint", BOUNDS, clock=asyncio.get_running_loop().time)
        for hundredths in range(60):
            turn = await asyncio.wait_for(limiter.enter(), 10)
            limiter.leave(turn, Outcome.ANSWERED)
            await asyncio.sleep(hundredths / 100)
        await limiter.close()

    play(scenario)


def test_a_sheet_that_nobody_can_read_begins_anew() -> None:
    async def scenario() -> None:
        bus, (limiter,) = await shared(1)
        await bus.kv_put(LIMITS_BUCKET, "endpoint", b"{no sheet")

        turn = await asyncio.wait_for(limiter.enter(), 10)
        limiter.leave(turn, Outcome.ANSWERED)
        await limiter.close()

        entry = await bus.kv_get(LIMITS_BUCKET, "endpoint")
        assert entry is not None
        assert decode(entry.value, Sheet).members == {}

    play(scenario)
