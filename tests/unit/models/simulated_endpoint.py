"""An endpoint that allows so many requests a second, and clients that ask as fast as they may."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.models.limiter import Limiter, Outcome


@dataclass
class SimulatedEndpoint:
    """A bucket of tokens: `per_s` flow in, up to `burst` are kept, a request takes one or is refused."""

    per_s: float
    burst: float
    latency_s: float
    answered: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        self._tokens = self.burst
        self._at_s = asyncio.get_running_loop().time()
        self._random = random.Random(0)

    async def ask(self) -> bool:
        """Answer after a while, or refuse at once."""
        now_s = asyncio.get_running_loop().time()
        self._tokens = min(self.burst, self._tokens + (now_s - self._at_s) * self.per_s)
        self._at_s = now_s
        if self._tokens < 1:
            self.refused += 1
            await asyncio.sleep(0.002)
            return False
        self._tokens -= 1
        self.answered += 1
        await asyncio.sleep(self.latency_s * self._random.uniform(0.8, 1.2))
        return True

    @property
    def refused_share(self) -> float:
        """Share of all requests that were refused."""
        return self.refused / (self.answered + self.refused)


async def press(endpoint: SimulatedEndpoint, limiters: Sequence[Limiter], seconds: float, clients: int = 32) -> None:
    """Ask as fast as the limiters let, each from so many clients that come back a second after a refusal."""
    until_s = asyncio.get_running_loop().time() + seconds

    async def client(limiter: Limiter) -> None:
        while asyncio.get_running_loop().time() < until_s:
            turn = await limiter.enter()
            if asyncio.get_running_loop().time() >= until_s:
                limiter.leave(turn, Outcome.FAILED)
                return
            good = await endpoint.ask()
            limiter.leave(turn, Outcome.ANSWERED if good else Outcome.REFUSED)
            if not good:
                await asyncio.sleep(1.0)

    async def worker(limiter: Limiter) -> None:
        await asyncio.gather(*(client(limiter) for _ in range(clients)))

    await asyncio.gather(*(worker(limiter) for limiter in limiters))
