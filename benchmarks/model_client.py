"""Calls per second of the model client, beside a bare HTTP client that makes the same calls in the same run.

    .venv/bin/python benchmarks/model_client.py [--calls 5000] [--runs 3]

A local endpoint answers after 200 ms and allows 256 requests at once; more are refused with 429. The bare client knows
that and keeps 256 in flight; ours finds out what it may, retries, measures, and stores every response before it is
told: in memory, and in a real S3 store. `again` is the second run, which finds all responses stored. Wall times are
medians of runs that alternate; processor time is of each process and per thousand calls.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
from local_endpoint import ANSWER_S, AT_ONCE, bare, cpu_s, endpoint

from bakeoff.domain.answer import Failure
from bakeoff.domain.prompt import Completion, Prompt
from bakeoff.models.answering import answer_all
from bakeoff.models.asking import ModelRequest
from bakeoff.models.model import Model
from bakeoff.models.model_settings import ModelSettings
from bakeoff.models.responses import ResponseStore
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.quick_objects import asynchronous
from bakeoff.runtime.s3_server import S3Server

PADDING = "All that a passage says is said again, in other words and at some length. " * 80
"""Some 6 kB, as of a prompt with passages."""


def prompt(run: int, number: int) -> str:
    """Return the prompt of a call; another one in every run."""
    return f"{PADDING}\nQuestion {number} of run {run}: what is the answer?"


def ours(base_url: str, run: int, calls: int, objects: ObjectStore, *, stream: bool) -> int:
    """Make the calls with the client; return how many were answered."""
    answered = 0

    def count(number: int, outcome: Completion | Failure) -> None:
        nonlocal answered
        answered += isinstance(outcome, Completion)

    store = ResponseStore(objects, way=asynchronous)
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


def main() -> None:
    """Alternate the ways and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    calls = arguments.calls
    found: dict[str, list[Measured]] = {}
    with endpoint() as (base_url, server), tempfile.TemporaryDirectory() as folder, S3Server(Path(folder)) as s3:
        assert s3.pid is not None
        store, objects = psutil.Process(s3.pid), s3.connect()
        for run in range(arguments.runs):
            ways: dict[str, Callable[[], int]] = {
                "bare HTTP client": lambda: asyncio.run(bare(base_url, (prompt(run, n) for n in range(calls)))),  # noqa: B023
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
