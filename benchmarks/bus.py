"""Items per second through a stage that does nothing, with one and two workers, beside the raw bus in the same run.

    .venv/bin/python benchmarks/bus.py [--items 2000]

A worker does everything that it does for real work: looks for a fact, looks for a result, stores the result, publishes
the fact, acknowledges with confirmation. `memory` leaves the object store out, `s3` has it in.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

import nats

from bakeoff.contract import subjects
from bakeoff.contract.work_codec import task_to_bytes
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.work import PrepareTask, Task
from bakeoff.runtime.cancellations import Cancellations
from bakeoff.runtime.child_process import start_child
from bakeoff.runtime.connect import connect_bus, connect_objects
from bakeoff.runtime.isolation import ChildIsolation
from bakeoff.runtime.items import Result, StageHandler
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.nats_server import NatsServer
from bakeoff.runtime.s3_server import S3Server
from bakeoff.runtime.service import Deps, Peers
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.task_versions import TaskVersions
from bakeoff.runtime.worker import Worker

BUCKET = "bakeoff"
SLOTS = 16
THIS_FILE = str(Path(__file__).resolve())


def a_task(run: str, number: int) -> Task:
    """Return a task of a stage that nobody else works on here."""
    return Task(run, "t", Stage.PREPARE, f"i{number}", PrepareTask(BenchmarkChoice(ComponentSpec("none"))))


async def work(store: str) -> None:
    """Be a worker process with a handler that does nothing."""
    settings = Settings.from_environment()
    bus = await connect_bus(settings, "benchmark")
    objects = MemoryObjects() if store == "memory" else connect_objects(settings)
    handler = StageHandler(
        Stage.PREPARE, lambda task: f"evaluations/{task.evaluation_id}/{task.item}", lambda task, context: Result(b"{}")
    )
    deps = Deps(settings, objects, bus, Peers({}))
    versions = TaskVersions(bus, "preparation", (), 0.0)
    worker = Worker(deps, handler, "none", ChildIsolation(settings), Cancellations(bus), versions)
    await worker.run(asyncio.Event())


async def through_the_stage(settings: Settings, store: str, workers: int, items: int, folder: Path) -> float:
    """Return the seconds from the first task to the last fact."""
    bus = await connect_bus(settings, "benchmark-control")
    await bus.ensure(subjects.STREAMS, subjects.consumers(settings.ack_wait_s), subjects.BUCKETS)
    run = f"{store}-{workers}"
    environment = {
        **os.environ,
        "BAKEOFF_NATS_URL": settings.nats_url,
        "BAKEOFF_NATS_TOKEN": settings.nats_token,
        "BAKEOFF_S3_ENDPOINT": settings.s3_endpoint,
        "BAKEOFF_S3_ACCESS_KEY": settings.s3_access_key,
        "BAKEOFF_S3_SECRET_KEY": settings.s3_secret_key,
        "BAKEOFF_SLOTS": str(SLOTS),
    }
    argv = [sys.executable, THIS_FILE, "--work", store]
    children = [start_child(argv, environment, folder / f"{run}-{n}.log", folder) for n in range(workers)]
    try:
        await bus.publish(subjects.task(Stage.PREPARE, run, "warm"), task_to_bytes(a_task(run, 10**6)))
        while await bus.pending(subjects.stage_consumer(Stage.PREPARE, settings.ack_wait_s)):
            await asyncio.sleep(0.05)
        await asyncio.sleep(1.0)  # the other worker's imports
        started = time.perf_counter()
        window = asyncio.Semaphore(64)

        async def publish(number: int) -> None:
            async with window:
                task = a_task(run, number)
                await bus.publish(subjects.task(task.stage, run, task.item), task_to_bytes(task))

        await asyncio.gather(*(publish(number) for number in range(items)))
        while len(await bus.subjects(subjects.done_of(run))) < items + 1:
            await asyncio.sleep(0.02)
        return time.perf_counter() - started
    finally:
        for child in children:
            child.kill()
        await bus.close()


async def raw(settings: Settings, items: int) -> tuple[float, float]:
    """Return the seconds of publishing with 64 in flight, and of pulling 100 at a time with acknowledgement."""
    connection = await nats.connect(settings.nats_url, token=settings.nats_token)
    stream = connection.jetstream()
    await stream.add_stream(name="RAW", subjects=["raw.*"], retention="workqueue")
    data = task_to_bytes(a_task("raw", 0))
    window = asyncio.Semaphore(64)

    async def publish(number: int) -> None:
        async with window:
            await stream.publish(f"raw.i{number}", data)

    started = time.perf_counter()
    await asyncio.gather(*(publish(number) for number in range(items)))
    published = time.perf_counter() - started
    pull = await stream.pull_subscribe("raw.*", durable="raw")
    started = time.perf_counter()
    taken = 0
    while taken < items:
        for message in await pull.fetch(min(100, items - taken), timeout=5):
            await message.ack()
            taken += 1
    pulled = time.perf_counter() - started
    await connection.close()
    return published, pulled


async def measure(settings: Settings, items: int, folder: Path) -> None:
    """Print everything."""
    published, pulled = await raw(settings, items)
    print(f"raw bus: publish, 64 in flight   {items / published:8.0f} items/s")
    print(f"raw bus: fetch 100 and ack       {items / pulled:8.0f} items/s")
    base = 1 / (published / items + pulled / items)
    print(f"raw bus: both, one after another {base:8.0f} items/s")
    for store in ("memory", "s3"):
        for workers in (1, 2):
            seconds = await through_the_stage(settings, store, workers, items, folder)
            rate = items / seconds
            who = f"{workers} worker{'s' if workers > 1 else ' '}"
            print(f"no-op stage, {store:6}, {who}    {rate:8.0f} items/s  {rate / base:5.2f} of raw")


def main() -> None:
    """Start the servers, measure, stop them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--work", choices=("memory", "s3"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        asyncio.run(work(options.work))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        nats_server, s3 = NatsServer(folder / "nats"), S3Server(folder / "s3", bucket=BUCKET)
        try:
            nats_server.start()
            s3.start()
            settings = Settings(
                nats_url=nats_server.url,
                nats_token=nats_server.token,
                s3_endpoint=s3.endpoint,
                s3_access_key=s3.access_key,
                s3_secret_key=s3.secret_key,
            )
            asyncio.run(measure(settings, options.items, folder))
        finally:
            nats_server.stop()
            s3.stop()


if __name__ == "__main__":
    main()
