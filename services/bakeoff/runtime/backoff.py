"""Waiting between tries: growing, jittered, bounded."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bakeoff.domain.errors import OutOfReachError

T = TypeVar("T")
FIRST_S = 0.05
LONGEST_S = 5.0


def delay_s(attempt: int) -> float:
    """Return how long to wait after a failed try: full jitter under a doubling ceiling.

    Args:
        attempt: Which try failed, from 1.

    Source: "Exponential Backoff and Jitter", AWS Architecture Blog 2015, the variant "full jitter".
    """
    ceiling = min(LONGEST_S, FIRST_S * 2 ** min(attempt, 20))
    # Delays are no result: they may differ from run to run.
    return random.uniform(FIRST_S, ceiling)


async def until_reachable(
    call: Callable[[], Awaitable[T]], when_not: Callable[[OutOfReachError], None] = lambda error: None
) -> T:
    """Repeat a call for as long as a part of the platform is out of reach.

    Args:
        call: Must be safe to repeat.
        when_not: Called with each failure.
    """
    attempt = 0
    while True:
        try:
            return await call()
        except OutOfReachError as error:
            attempt += 1
            when_not(error)
            await asyncio.sleep(delay_s(attempt))
