"""An endpoint that cannot be asked costs a few questions their patience, and not every one of them."""

from __future__ import annotations

import asyncio

import pytest

from bakeoff.domain.errors import BakeoffError, InvalidInputError
from bakeoff.models.hope import AT_FIRST, DEAD_AFTER, Hope
from bakeoff.models.refusals import (
    EndpointTroubleError,
    RefusedKeyError,
    UnknownModelError,
    UnreachedEndpointError,
)

UNREACHED = UnreachedEndpointError("http://127.0.0.1:1/v1 cannot be reached")


def made(hope: Hope, *outcomes: BakeoffError | str) -> int:
    """Make calls that end so, one after the other, and return how many of them were made."""
    calls = 0

    async def call(outcome: BakeoffError | str) -> str:
        nonlocal calls
        calls += 1
        if isinstance(outcome, BakeoffError):
            raise outcome
        return outcome

    async def all_of_them() -> None:
        for outcome in outcomes:
            try:
                await hope.make(call(outcome))
            except BakeoffError:
                continue

    asyncio.run(all_of_them())
    return calls


def test_an_endpoint_that_nobody_ever_reached_is_not_asked_for_ever() -> None:
    hope = Hope()
    assert made(hope, *[UNREACHED] * 100) == DEAD_AFTER
    assert hope.lost is UNREACHED


@pytest.mark.parametrize("first", ["an answer", EndpointTroubleError("500"), InvalidInputError("too long")])
def test_an_endpoint_that_was_there_is_waited_for_by_each_question(first: BakeoffError | str) -> None:
    hope = Hope()
    assert made(hope, first, *[UNREACHED] * 100) == 101
    assert hope.lost is None


def test_a_refused_key_is_told_once() -> None:
    assert made(Hope(), RefusedKeyError("no"), "never", "made") == 1


def test_hope_that_was_renewed_asks_again() -> None:
    hope = Hope()
    made(hope, *[UNREACHED] * DEAD_AFTER)
    hope.renew()
    assert made(hope, "an answer", UNREACHED) == 2
    assert hope.lost is None


def at_once(hope: Hope, questions: int, *outcomes: BakeoffError | None, heard: bool = False) -> int:
    """Make all calls at once; return how many were begun. They end in the order in which they began, one a turn."""
    begun = 0
    ends: list[asyncio.Future[None]] = []

    async def call() -> None:
        nonlocal begun
        begun += 1
        ends.append(asyncio.get_running_loop().create_future())
        await ends[-1]

    async def all_of_them() -> None:
        tasks = [asyncio.create_task(hope.make(call())) for _ in range(questions)]
        await settle()
        if heard:
            hope.heard()
        for outcome in outcomes:
            await settle()
            end = ends.pop(0)
            if outcome:
                end.set_exception(outcome)
            else:
                end.set_result(None)
        await settle()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def settle() -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    asyncio.run(all_of_them())
    return begun


def test_few_are_asked_until_one_has_shown_that_somebody_is_there() -> None:
    assert at_once(Hope(), 100) == AT_FIRST
    assert at_once(Hope(), 100, UnknownModelError("no such model")) == AT_FIRST
    assert at_once(Hope(), 100, UNREACHED) == AT_FIRST + 1
    assert at_once(Hope(), 100, None) == 100
    assert at_once(Hope(), 100, InvalidInputError("too long")) == 100
    assert at_once(Hope(), 100, heard=True) == 100


def test_questions_that_were_put_off_can_be_cancelled_and_leave_the_rest_its_room() -> None:
    hope = Hope()
    assert at_once(hope, 20) == AT_FIRST
    assert made(hope, "an answer") == 1
