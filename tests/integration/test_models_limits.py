"""Workers that share an endpoint's limits over a real bus."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bakeoff.contract.stored import decode
from bakeoff.models.limiter import Outcome
from bakeoff.models.model_settings import Bounds
from bakeoff.models.shared_limiter import LEASE_S, LIMITS_BUCKET, SharedLimiter
from bakeoff.models.shares import Sheet
from bakeoff.runtime.nats_bus import NatsBus
from bakeoff.runtime.nats_server import NatsServer
from tests.integration.scripted_endpoint import ScriptedEndpoint, says

pytestmark = [pytest.mark.slow, pytest.mark.alone, pytest.mark.timeout(180)]
WORKER = Path(__file__).with_name("limited_worker.py")
PER_S = 50.0


class TokenBucket:
    """Answers so many requests a second after 100 ms, and refuses the others at once."""

    def __init__(self, burst: float) -> None:
        self.tokens = self.burst = burst
        self.at_s = time.monotonic()
        self.answered: list[float] = []
        self.refused: list[float] = []

    async def __call__(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        now_s = time.monotonic()
        self.tokens = min(self.burst, self.tokens + (now_s - self.at_s) * PER_S)
        self.at_s = now_s
        if self.tokens < 1:
            self.refused.append(now_s)
            return web.json_response({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "1"})
        self.tokens -= 1
        self.answered.append(now_s)
        return await says("yes", delay_s=0.1)(request, body)


def start_worker(server: NatsServer, endpoint: ScriptedEndpoint, name: str, seconds: float) -> subprocess.Popen[bytes]:
    argv = [sys.executable, str(WORKER), server.url, server.token, endpoint.base_url, name, str(seconds)]
    return subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_eight_workers_use_what_an_endpoint_allows_and_are_hardly_refused(
    server: NatsServer, capsys: pytest.CaptureFixture[str]
) -> None:
    bucket, seconds = TokenBucket(burst=PER_S), 60.0
    with ScriptedEndpoint(bucket) as endpoint:
        workers = [start_worker(server, endpoint, f"w{n}", seconds) for n in range(8)]
        assert [worker.wait(seconds + 60) for worker in workers] == [0] * 8

    first_s = bucket.answered[0]
    took_s = min(seconds, bucket.answered[-1] - first_s)
    answered = sum(at_s < first_s + took_s for at_s in bucket.answered)
    refused_share = len(bucket.refused) / (len(bucket.answered) + len(bucket.refused))
    with capsys.disabled():
        print(f"\n{answered / took_s:.1f} of {PER_S:.0f} requests/s, {refused_share:.2%} refused, in {took_s:.0f} s")
    assert answered > 0.95 * PER_S * took_s
    assert refused_share < 0.02


def test_the_share_of_a_worker_that_is_killed_comes_back(server: NatsServer) -> None:
    bucket = TokenBucket(burst=10)
    with ScriptedEndpoint(bucket) as endpoint:
        doomed, living = (start_worker(server, endpoint, name, 40) for name in ("doomed", "living"))
        time.sleep(15)
        doomed.send_signal(signal.SIGKILL)
        doomed.wait(10)
        time.sleep(LEASE_S + 2)
        began_s = time.monotonic()
        time.sleep(10)
        ended_s = time.monotonic()
        assert living.wait(60) == 0

    answered = sum(began_s <= at_s < ended_s for at_s in bucket.answered)
    assert answered > 0.9 * PER_S * (ended_s - began_s)


def test_two_limiters_agree_over_a_real_bus(server: NatsServer) -> None:
    async def scenario() -> None:
        bus = await NatsBus.connect(server.url, server.token)
        try:
            await bus.ensure((), (), (LIMITS_BUCKET,))
            limiters = [SharedLimiter(bus, "endpoint-1", Bounds()) for _ in range(2)]
            turns = [await limiter.enter() for limiter in limiters]
            await asyncio.sleep(0.5)

            entry = await bus.kv_get(LIMITS_BUCKET, "endpoint-1")
            assert entry is not None
            sheet = decode(entry.value, Sheet)
            assert sorted(member.share for member in sheet.members.values()) == [0.5, 0.5]

            for limiter, turn in zip(limiters, turns, strict=True):
                limiter.leave(turn, Outcome.ANSWERED)
                await limiter.close()
            entry = await bus.kv_get(LIMITS_BUCKET, "endpoint-1")
            assert entry is not None
            assert decode(entry.value, Sheet).members == {}
        finally:
            await bus.close()

    asyncio.run(scenario())
