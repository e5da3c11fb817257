"""Calls per second of the model client, beside a bare HTTP client that makes the same calls in the same run.

    .venv/bin/python benchmarks/inference_throughput.py [--calls 5000] [--runs 3]

A local endpoint answers after 200 ms and allows 256 requests at once; more are refused with 429. The bare client knows
that and keeps 256 in flight; ours finds out what it may, retries, measures, and stores every response before it is
told: in memory, and in a real S3 store. `again` is the second run, which finds all responses stored. Wall times are
medians of runs that alternate; processor time is of each process and per thousand calls.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import msgspec
import psutil
from aiohttp import web

from bakeoff.domain.answer import Failure
from bakeoff.domain.prompt import Completion, Prompt
from bakeoff.models.answering import answer_all
from bakeoff.models.asking import ModelRequest
from bakeoff.models.model import Model
from bakeoff.models.model_settings import ModelSettings
from bakeoff.models.responses import ResponseStore
from bakeoff.runtime.child_process import free_ports
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.s3_server import S3Server

ANSWER_S, AT_ONCE = 0.2, 256
PADDING = "All that a passage says is said again, in other words and at some length. " * 80
"""Some 6 kB, as of a prompt with passages."""
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


def prompt(run: int, number: int) -> str:
    """Return the prompt of a call; another one in every run."""
    return f"{PADDING}\nQuestion {number} of run {run}: what is the answer?"


async def bare(base_url: str, run: int, calls: int) -> int:
    """Make the calls with nothing but the HTTP client; return how many were answered."""
    numbers = iter(range(calls))
    answered = 0

    async def caller(session: aiohttp.ClientSession) -> None:
        nonlocal answered
        for number in numbers:
            asked = {"model": "m", "messages": [{"role": "user", "content": prompt(run, number)}]}
            async with session.post(f"{base_url}/chat/completions", data=msgspec.json.encode(asked)) as response:
                reply = msgspec.json.decode(await response.read())
                answered += reply["choices"][0]["finish_reason"] == "stop"

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(caller(session) for _ in range(AT_ONCE)))
    return answered


def ours(base_url: str, run: int, calls: int, objects: ObjectStore, *, stream: bool) -> int:
    """Make the calls with the client; return how many were answered."""
    answered = 0

    def count(number: int, outcome: Completion | Failure) -> None:
        nonlocal answered
        answered += isinstance(outcome, Completion)

    store = ResponseStore(objects)
    requests = [ModelRequest(Prompt(text=prompt(run, number)), seed=0) for number in range(calls)]
    answer_all(Model(ModelSettings(base_url, "m", stream=stream), responses=store), requests, count)
    store.close()
    return answered


@dataclass(frozen=True)
class Measured:
    """What a run took, in seconds."""

    wall_s: float
    client_s: float
    """Processor time of this process; so are the others of theirs."""
    endpoint_s: float
    store_s: float


def measured(work: Callable[[], int], calls: int, endpoint: psutil.Process, store: psutil.Process) -> Measured:
    """Run something that must answer all calls."""
    before = (time.process_time(), cpu_s(endpoint), cpu_s(store))
    began = time.perf_counter()
    answered = work()
    wall_s = time.perf_counter() - began
    assert answered == calls, f"only {answered} of {calls} calls were answered"
    return Measured(wall_s, time.process_time() - before[0], cpu_s(endpoint) - before[1], cpu_s(store) - before[2])


def cpu_s(process: psutil.Process) -> float:
    """Return the processor time of a process so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


@contextmanager
def endpoint() -> Iterator[tuple[str, psutil.Process]]:
    """Run the endpoint in a process of its own."""
    [port] = free_ports(1)
    process = subprocess.Popen([sys.executable, __file__, "--serve", str(port)])
    try:
        for _ in range(200):
            time.sleep(0.05)
            if any(c.laddr.port == port for c in psutil.Process(process.pid).net_connections()):
                break
        yield f"http://127.0.0.1:{port}/v1", psutil.Process(process.pid)
    finally:
        process.kill()
        process.wait(10)


def main() -> None:
    """Alternate the ways and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve(arguments.serve))
        return
    calls = arguments.calls
    found: dict[str, list[Measured]] = {}
    with endpoint() as (base_url, server), tempfile.TemporaryDirectory() as folder, S3Server(Path(folder)) as s3:
        assert s3.pid is not None
        store, objects = psutil.Process(s3.pid), s3.connect()
        for run in range(arguments.runs):
            ways: dict[str, Callable[[], int]] = {
                "bare HTTP client": lambda: asyncio.run(bare(base_url, run, calls)),  # noqa: B023  # called in the turn
                "ours, in memory": lambda: ours(base_url, run, calls, MemoryObjects(), stream=False),  # noqa: B023
                "ours, streamed": lambda: ours(base_url, run, calls, MemoryObjects(), stream=True),  # noqa: B023
                "ours, S3": lambda: ours(base_url, run, calls, objects, stream=True),  # noqa: B023
                "ours, S3, again": lambda: ours(base_url, run, calls, objects, stream=True),  # noqa: B023
            }
            for name, work in ways.items():
                found.setdefault(name, []).append(measured(work, calls, server, store))
    show(found, calls)


def show(found: dict[str, list[Measured]], calls: int) -> None:
    """Print a line for each way."""
    bare_s = statistics.median(each.wall_s for each in found["bare HTTP client"])
    print(f"{calls} calls, answered after {ANSWER_S * 1000:.0f} ms, {AT_ONCE} at once; CPU in seconds per 1,000 calls")
    print(f"{'':20}{'calls/s':>9}{'of bare':>9}{'client':>9}{'endpoint':>10}{'store':>8}")
    for name, runs in found.items():
        wall_s = statistics.median(each.wall_s for each in runs)
        times = [
            statistics.median(getattr(each, part) for each in runs) / calls * 1000
            for part in ("client_s", "endpoint_s", "store_s")
        ]
        print(f"{name:20}{calls / wall_s:9.0f}{bare_s / wall_s:9.2f}{times[0]:9.2f}{times[1]:10.2f}{times[2]:8.2f}")


if __name__ == "__main__":
    main()
