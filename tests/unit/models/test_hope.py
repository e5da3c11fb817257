"""An endpoint that cannot be asked costs a few questions their patience, and not every one of them."""

from __future__ import annotations

import asyncio

import pytest

from bakeoff.domain.errors import BakeoffError, InvalidInputError
from bakeoff.models.hope import DEAD_AFTER, Hope
from bakeoff.models.refusals import EndpointTroubleError, RefusedKeyError, UnreachedEndpointError

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
