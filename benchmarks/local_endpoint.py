"""A model's endpoint in a process of its own, for benchmarks: answers after a time, and refuses what is too much.

.venv/bin/python benchmarks/local_endpoint.py PORT
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import aiohttp
import msgspec
import psutil
from aiohttp import web

from bakeoff.runtime.ports import free_ports

ANSWER_S, AT_ONCE = 0.2, 256
WORDS = ["The", " answer", " is", " forty", "-", "two", "."]
USAGE = {"prompt_tokens": 1500, "completion_tokens": len(WORDS)}


async def serve(port: int) -> None:
    """Be the endpoint."""
    in_flight = 0
    choice = {"index": 0, "message": {"role": "assistant", "content": "".join(WORDS)}, "finish_reason": "stop"}
    whole = msgspec.json.encode({"choices": [choice], "usage": USAGE})
    pieces: list[object] = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in WORDS]
    pieces += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": USAGE}]
    stream = b"".join(b"data: " + msgspec.json.encode(piece) + b"\n\n" for piece in pieces) + b"data: [DONE]\n\n"

    async def answer(request: web.Request) -> web.Response:
        nonlocal in_flight
        if in_flight >= AT_ONCE:
            return web.Response(status=429)
        in_flight += 1
        try:
            streamed = b'"stream":true' in await request.read()
            await asyncio.sleep(ANSWER_S)
        finally:
            in_flight -= 1
        if streamed:
            return web.Response(body=stream, content_type="text/event-stream")
        return web.Response(body=whole, content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, backlog=2048).start()
    await asyncio.Event().wait()


@contextmanager
def endpoint() -> Iterator[tuple[str, psutil.Process]]:
    """Run the endpoint in a process of its own; give its address and the process."""
    [port] = free_ports(1)
    process = subprocess.Popen([sys.executable, __file__, str(port)])
    try:
        for _ in range(200):
            time.sleep(0.05)
            if any(c.laddr.port == port for c in psutil.Process(process.pid).net_connections()):
                break
        yield f"http://127.0.0.1:{port}/v1", psutil.Process(process.pid)
    finally:
        process.kill()
        process.wait(10)


async def bare(base_url: str, prompts: Iterable[str]) -> int:
    """Make calls with nothing but the HTTP client, as many at once as are allowed; return how many were answered."""
    waiting = iter(prompts)
    answered = 0

    async def caller(session: aiohttp.ClientSession) -> None:
        nonlocal answered
        for prompt in waiting:
            asked = {"model": "m", "messages": [{"role": "user", "content": prompt}]}
            async with session.post(f"{base_url}/chat/completions", data=msgspec.json.encode(asked)) as response:
                reply = msgspec.json.decode(await response.read())
                answered += reply["choices"][0]["finish_reason"] == "stop"

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(caller(session) for _ in range(AT_ONCE)))
    return answered


def cpu_s(process: psutil.Process) -> float:
    """Return the processor time of a process so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
