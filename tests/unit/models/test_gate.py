from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from bakeoff.models.gate import Gate
from bakeoff.models.pace import Pressure
from tests.contract.bus_fixtures import HurriedLoop


def play(scenario: Callable[[], Awaitable[None]]) -> None:
    async def played() -> None:
        await scenario()

    with asyncio.Runner(loop_factory=HurriedLoop) as runner:
        runner.run(played())


def test_no_more_pass_at_once_than_allowed() -> None:
    async def scenario() -> None:
        gate, most = Gate(), 0
        gate.allow(1e6, 3.9)

        async def one() -> None:
            nonlocal most
            await gate.enter()
            most = max(most, gate.in_flight)
            await asyncio.sleep(0.01)
            gate.leave()

        await asyncio.gather(*(one() for _ in range(20)))

        assert most == 3
        assert gate.wanted == 0
        assert gate.take_pressure().by_window

    play(scenario)


def test_they_pass_at_the_pace_that_is_allowed() -> None:
    async def scenario() -> None:
        gate, loop = Gate(), asyncio.get_running_loop()
        gate.allow(50, 1000)
        began_s = loop.time()

        for _ in range(101):
            await gate.enter()

        # 100 gaps of 20 ms; the first comes at a random moment of its own.
        assert loop.time() - began_s == pytest.approx(2.01, abs=0.05)
        assert gate.take_pressure() == Pressure(by_pace=True)
        assert gate.take_pressure() == Pressure()

    play(scenario)


def test_a_pace_that_rises_shortens_the_wait_that_has_begun() -> None:
    async def scenario() -> None:
        gate, loop = Gate(), asyncio.get_running_loop()
        gate.allow(0.01, 10)
        waiting = asyncio.create_task(gate.enter())
        await asyncio.sleep(0)
        began_s = loop.time()

        gate.allow(100, 10)
        await waiting

        assert loop.time() - began_s <= 0.02

    play(scenario)


def test_a_closed_gate_lets_nobody_through_until_it_opens() -> None:
    async def scenario() -> None:
        gate = Gate()
        waiting = asyncio.create_task(gate.enter())
        await asyncio.sleep(10)
        assert not waiting.done()

        gate.allow(10, 1)
        await waiting

    play(scenario)


def test_who_gives_up_waiting_takes_nobodys_place() -> None:
    async def scenario() -> None:
        gate = Gate()
        gate.allow(1e6, 1)
        await gate.enter()
        given_up, next_one = asyncio.create_task(gate.enter()), asyncio.create_task(gate.enter())
        await asyncio.sleep(0)
        given_up.cancel()
        gate.leave()
        await next_one

        assert gate.in_flight == 1

    play(scenario)


def test_who_gives_up_just_when_it_is_its_turn_passes_it_on() -> None:
    async def scenario() -> None:
        gate = Gate()
        gate.allow(1e6, 1)
        await gate.enter()
        given_up, next_one = asyncio.create_task(gate.enter()), asyncio.create_task(gate.enter())
        await asyncio.sleep(0)
        gate.leave()  # now it is the turn of the first, which has not noticed
        given_up.cancel()
        await asyncio.wait_for(next_one, 5)

        assert gate.in_flight == 1

    play(scenario)
