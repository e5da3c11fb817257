"""Who may ask the endpoint now: the interface, and the limiter of one process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from bakeoff.models.gate import Gate
from bakeoff.models.model_settings import Bounds
from bakeoff.models.pace import SETTLE_S, TICK_S, Allowance, cut, grown, worth_a_cut
from bakeoff.models.witness import Witness


class Outcome(Enum):
    """How a request ended, as far as the endpoint's limits are concerned."""

    ANSWERED = "answered"
    REFUSED = "refused"
    """With 429, or not answered in time."""
    FAILED = "failed"
    """Tells nothing about limits."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The leave to make one request."""

    epoch: int
    """Number of cuts before it: what it meets says nothing about the allowance after a later one."""
    began_s: float
    """On the event loop's clock."""


class Limiter(Protocol):
    """Lets requests pass as the endpoint bears them. Used from one event loop at a time."""

    async def enter(self) -> Turn:
        """Wait until one more request may be made. Every turn is given back by `leave`."""

    def leave(self, turn: Turn, outcome: Outcome) -> None:
        """Say that a request has ended, and how."""

    async def close(self) -> None:
        """Give back what is held; nobody may be waiting."""


class LocalLimiter:
    """Adapts to what the requests of this process meet."""

    def __init__(self, bounds: Bounds) -> None:
        """Start low.

        Args:
            bounds: Where to start, and what not to exceed.
        """
        self._bounds = bounds
        self._gate = Gate()
        self._witness = Witness()
        self._epoch = 0
        self._settled_s = 0.0
        self.allowance = Allowance.at_start(bounds)
        """What is allowed now."""

    async def enter(self) -> Turn:
        """Wait until one more request may be made."""
        now_s = asyncio.get_running_loop().time()
        if self._witness.began_s is None:
            self._witness.begin(now_s)
            self._gate.allow(self.allowance.per_s, self.allowance.at_once)
        await self._gate.enter()
        now_s = asyncio.get_running_loop().time()
        if now_s < self._settled_s:
            return Turn(self._epoch - 1, now_s)
        self._witness.sent()
        return Turn(self._epoch, now_s)

    def leave(self, turn: Turn, outcome: Outcome) -> None:
        """Say that a request has ended, and adapt."""
        now_s = asyncio.get_running_loop().time()
        if outcome is Outcome.ANSWERED:
            self._witness.answered(now_s - turn.began_s)
        elif outcome is Outcome.REFUSED and turn.epoch == self._epoch:
            self._witness.refused()
        self._gate.leave()
        if self._witness.elapsed_s(now_s) >= TICK_S:
            self._adapt(now_s)

    def _adapt(self, now_s: float) -> None:
        seen = self._witness.take(now_s, self._gate.take_pressure())
        if worth_a_cut(self.allowance, seen):
            self.allowance = cut(self.allowance, seen)
            self._epoch += 1
            self._settled_s = now_s + SETTLE_S
            self._witness.forget()
        else:
            self.allowance = grown(self.allowance, seen, self._bounds)
        self._gate.allow(self.allowance.per_s, self.allowance.at_once)

    async def close(self) -> None:
        """Forget the clock of this event loop; what was learned stays."""
        self._gate = Gate()
        self._witness = Witness()
