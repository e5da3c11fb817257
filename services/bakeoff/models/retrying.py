"""Asking again: how long to wait, and when to stop."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from bakeoff.models.model_settings import Patience
from bakeoff.models.refusals import EndpointTroubleError, RateLimitedError

T = TypeVar("T")
SHORTEST_WAIT_S = 0.05
GROWTH = 1.25
"""A wait is never shorter than the last one times this: jitter must not undo the backing off."""
SPREAD = 0.1
"""Those who were told the same time come back spread over this much more of it."""


@dataclass(slots=True)
class Attempts:
    """The attempts at one question: counts them and says how long to wait."""

    patience: Patience
    requests: int = 0
    failed: int = 0
    uniform: Callable[[float, float], float] = random.uniform
    """Draws from a range. Waits are no result: they may differ from run to run."""
    _last_s: float = field(default=0.0, repr=False)
    _began_s: float | None = field(default=None, repr=False)
    """When the first request had failed: waiting for one's turn before it is no matter of patience."""

    def wait_s(self, error: RateLimitedError | EndpointTroubleError, now_s: float) -> float | None:
        """Return how long to wait after a request has failed; None when it was the last one.

        Args:
            error: How it failed.
            now_s: The time, on any steady clock.

        Full jitter under a doubling ceiling, never shorter than what the endpoint asked for.

        Source: "Exponential Backoff and Jitter", AWS Architecture Blog 2015, the variant "full jitter".
        """
        self._began_s = now_s if self._began_s is None else self._began_s
        self.failed += not isinstance(error, RateLimitedError)
        if self.failed >= self.patience.attempts or self.requests >= self.patience.requests:
            return None
        wait_s = self._drawn_s() if error.retry_after_s is None else self._told_s(error.retry_after_s)
        return None if now_s - self._began_s + wait_s > self.patience.total_s else wait_s

    def _drawn_s(self) -> float:
        ceiling = min(self.patience.longest_wait_s, self.patience.first_wait_s * 2 ** (self.requests - 1))
        self._last_s = self.uniform(min(ceiling, max(SHORTEST_WAIT_S, GROWTH * self._last_s)), ceiling)
        return self._last_s

    def _told_s(self, seconds: float) -> float:
        return seconds + self.uniform(0, max(SHORTEST_WAIT_S, SPREAD * seconds))


async def persist(call: Callable[[], Awaitable[T]], patience: Patience) -> tuple[T, int]:
    """Make a call until it succeeds, as long as its errors pass and patience lasts.

    Returns:
        What it gave, and the requests that it took, from 1.

    Raises:
        UnavailableError: the last error, with the number of requests.
        BakeoffError: any other error of the call, at once.
    """
    loop = asyncio.get_running_loop()
    attempts = Attempts(patience)
    while True:
        attempts.requests += 1
        try:
            return await call(), attempts.requests
        except (RateLimitedError, EndpointTroubleError) as error:
            wait_s = attempts.wait_s(error, loop.time())
            if wait_s is None:
                raise type(error)(_gave_up(error, attempts), error.retry_after_s) from error
        await asyncio.sleep(wait_s)


def _gave_up(error: RateLimitedError | EndpointTroubleError, attempts: Attempts) -> str:
    many = f"{attempts.requests} requests" if attempts.requests > 1 else "1 request"
    told = f"; it asked for {error.retry_after_s:g} s of rest" if error.retry_after_s else ""
    return f"{error} (given up after {many}{told})"
