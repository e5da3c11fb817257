"""A worker process that asks an endpoint as fast as the limiter that it shares with others lets it.

python limited_worker.py NATS_URL NATS_TOKEN BASE_URL NAME SECONDS
"""

from __future__ import annotations

import asyncio
import itertools
import sys
import threading

from bakeoff.domain.prompt import Prompt
from bakeoff.models.asking import ModelRequest
from bakeoff.models.elsewhere import BucketsElsewhere
from bakeoff.models.model import Model
from bakeoff.models.model_settings import ModelSettings
from bakeoff.models.shared_limiter import LIMITS_BUCKET, SharedLimiter, sheet_key
from bakeoff.runtime.nats_bus import NatsBus


async def work(url: str, token: str, base_url: str, name: str, seconds: float) -> None:
    """Keep the bus in the main loop and ask from another thread's, as a handler does."""
    bus = await NatsBus.connect(url, token)
    await bus.ensure((), (), (LIMITS_BUCKET,))
    settings = ModelSettings(base_url, "m", stream=False)
    buckets = BucketsElsewhere(bus, asyncio.get_running_loop())
    limiter = SharedLimiter(buckets, sheet_key(settings), settings.bounds)
    stop = threading.Event()
    asking = asyncio.create_task(asyncio.to_thread(asyncio.run, ask(Model(settings, limiter=limiter), name, stop)))
    await asyncio.sleep(seconds)
    stop.set()
    await asking
    await bus.close()


async def ask(model: Model, name: str, stop: threading.Event) -> None:
    """Ask one question after the other until told to stop."""
    questions = itertools.takewhile(lambda number: not stop.is_set(), itertools.count())
    async with model:
        async for _ in model.ask_many(ModelRequest(Prompt(text=f"{name} {number}")) for number in questions):
            pass


if __name__ == "__main__":
    asyncio.run(work(*sys.argv[1:5], float(sys.argv[5])))
