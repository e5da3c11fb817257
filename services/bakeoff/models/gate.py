"""Lets requests through one by one: so many a second, so many at once."""

from __future__ import annotations

import asyncio
import random
from collections import deque

from bakeoff.models.pace import Pressure

CATCH_UP_S = 0.01
"""Time for which a pace that was not used may be made up: timers come late by about as much."""


class Gate:
    """Holds requests back, first come first served, within one event loop."""

    def __init__(self) -> None:
        """Let nothing through yet."""
        self._per_s = 0.0
        self._at_once = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._next_s = 0.0
        self._pressure = Pressure()
        self.in_flight = 0
        """Requests that entered and have not left."""

    @property
    def wanted(self) -> int:
        """Requests in flight and those that wait."""
        return self.in_flight + len(self._waiting)

    def allow(self, per_s: float, at_once: float) -> None:
        """Change how much may pass; 0 of either lets nothing through.

        Args:
            per_s: Requests a second.
            at_once: Requests in flight; a part of one counts as one.
        """
        self._rescale(per_s)
        self._per_s = per_s
        self._at_once = max(1, int(at_once)) if at_once > 0 else 0
        self._pump()

    async def enter(self) -> None:
        """Wait for one's turn."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._pump()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Make room for the next."""
        self.in_flight -= 1
        self._pump()

    def take_pressure(self) -> Pressure:
        """Return what has held requests back since this was last asked."""
        taken, self._pressure = self._pressure, Pressure()
        return taken

    def _pump(self) -> None:
        while self._waiting:
            if self._waiting[0].done():  # cancelled while it waited
                self._waiting.popleft()
                continue
            if self.in_flight >= self._at_once or not self._per_s:
                self._pressure |= Pressure(by_window=True)
                return
            loop = asyncio.get_running_loop()
            now_s = loop.time()
            if now_s < self._next_s:
                self._pressure |= Pressure(by_pace=True)
                self._wake_at(loop, self._next_s)
                return
            self._next_s = max(self._next_s, now_s - CATCH_UP_S) + 1 / self._per_s
            self.in_flight += 1
            self._waiting.popleft().set_result(None)

    def _rescale(self, per_s: float) -> None:
        """Let the wait for the next turn be that of the new pace."""
        if per_s == self._per_s or not per_s:
            return
        now_s = asyncio.get_running_loop().time()
        if self._per_s:
            self._next_s = now_s + (self._next_s - now_s) * self._per_s / per_s
        else:
            # Gates that open together must not let their first requests through together.
            self._next_s = now_s + random.uniform(0, 1 / per_s)

    def _wake_at(self, loop: asyncio.AbstractEventLoop, when_s: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = loop.call_at(when_s, self._pump)
