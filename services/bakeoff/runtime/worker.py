"""The one order in which an item is handled, owned here so that no handler can get it wrong.

1. Is there a fact of the item? Acknowledge, finished.
2. Do the work; write the result with create-if-absent under its derived key; if somebody was first, use theirs.
3. Publish the fact, unless there is one.
4. Acknowledge, and wait for the confirmation.

So every step may be repeated at any time by anyone and has its effect once.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import structlog

from bakeoff.contract import subjects
from bakeoff.contract.codec import now
from bakeoff.contract.work_codec import dead_letter_to_bytes, done_fact_to_bytes, task_from_bytes
from bakeoff.domain.answer import Failure
from bakeoff.domain.errors import CancelledItemError, InvalidInputError, NotFoundError, OutOfReachError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.work import DoneFact, Task
from bakeoff.runtime import logs
from bakeoff.runtime.backoff import delay_s, until_reachable
from bakeoff.runtime.bus import Delivery
from bakeoff.runtime.cancellations import Cancellations
from bakeoff.runtime.envelope import headers
from bakeoff.runtime.isolation import Isolation, ItemKilledError
from bakeoff.runtime.item_context import LoopItemContext
from bakeoff.runtime.item_in_hand import ItemInHand, failure_of, heartbeat
from bakeoff.runtime.item_telling import REUSED, item_told
from bakeoff.runtime.items import Result, StageHandler
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.service import Deps
from bakeoff.runtime.telemetry import metrics, names, spans

T = TypeVar("T")
GIVE_UP = (InvalidInputError, NotFoundError, ItemKilledError)
"""Errors that stay whatever is tried."""
ISOLATED_FROM = 3
"""Delivery from which an item runs alone: twice may be an accident, and it must take no neighbours with it."""
ISOLATED_AFTER_OUTAGES = 5
"""Outages in a row after which an item runs alone too: it may be what takes the platform down."""
FETCH_S = 2.0
MOST_WAITING = 32
"""Items that may have given their slot to others."""
GATHER_S = 0.002
"""Pause in which more slots may become free: a pull for one message costs the server as much as one for a hundred."""


@dataclass
class WorkerCounts:
    """What a worker has done since it started."""

    executed: int = 0
    """Items that it worked on to their end, each once however many attempts it took; those given up too."""
    reused: int = 0
    """Items whose result or fact was there already."""
    failed: int = 0
    """Items that it gave up; also in `executed`."""


class Worker:
    """Takes the items of one stage, as many at once as it has slots."""

    def __init__(
        self, deps: Deps, handler: StageHandler, module: str, isolation: Isolation, cancellations: Cancellations
    ) -> None:
        """Make a worker; `run` starts it.

        Args:
            deps: What the service was given.
            handler: The work of the stage.
            module: Import path of the service's module, for the child process.
            isolation: How an item is run alone.
            cancellations: Which evaluations were cancelled.
        """
        self._deps = deps
        self.stage = handler.stage
        """Whose items it takes."""
        self._handler = handler
        self._module = module
        self._isolation = isolation
        self._cancellations = cancellations
        self._consumer = subjects.stage_consumer(handler.stage, deps.settings.ack_wait_s)
        self._in_hand: set[asyncio.Task[None]] = set()
        self._waiting: set[asyncio.Task[None]] = set()
        """Items in hand that have given their slot away."""
        self._room = asyncio.Event()
        threads = deps.settings.slots + MOST_WAITING
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"{handler.stage.value}-item")
        self._log = logs.get(handler.stage.value)
        self.counts = WorkerCounts()
        self.ready = True
        """Whether everything that the work needs answers."""

    @property
    def idle(self) -> bool:
        """Whether it has nothing in hand."""
        return not self._in_hand

    async def run(self, stopping: asyncio.Event) -> None:
        """Take items until told to stop, then finish those in hand."""
        attempt = 0
        while not stopping.is_set():
            free = self._free()
            if free <= 0:
                self._room.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._room.wait(), FETCH_S)
                await asyncio.sleep(GATHER_S)
                continue
            try:
                deliveries = await self._deps.bus.fetch(self._consumer, free, FETCH_S)
                attempt = 0
            except OutOfReachError:
                attempt += 1
                await asyncio.sleep(delay_s(attempt))
                continue
            for delivery in deliveries:
                one = asyncio.create_task(self._one(delivery))
                self._in_hand.add(one)
                one.add_done_callback(self._ended)
        if self._in_hand:
            await asyncio.wait(self._in_hand)
        self._threads.shutdown(wait=False)

    def _free(self) -> int:
        return self._deps.settings.slots + min(len(self._waiting), MOST_WAITING) - len(self._in_hand)

    def _ended(self, one: asyncio.Task[None]) -> None:
        self._in_hand.discard(one)
        self._waiting.discard(one)
        self._room.set()

    def _waits(self, one: asyncio.Task[Any] | None) -> None:
        if one is not None and one in self._in_hand:
            self._waiting.add(one)
            self._room.set()

    async def _one(self, delivery: Delivery) -> None:
        try:
            task = task_from_bytes(delivery.message.data)
        except InvalidInputError as error:
            self._log.error("message is no task", subject=delivery.message.subject, reason=str(error))
            await until_reachable(delivery.term)
            return
        with structlog.contextvars.bound_contextvars(
            evaluation_id=task.evaluation_id, item=task.item, trace_id=delivery.message.headers.get("traceparent", "")
        ):
            try:
                await self._handle(task, delivery)
            except Exception:
                # The item comes again after the ack wait; whatever went wrong here must not end the worker.
                self._log.exception("item left in the queue")

    async def _handle(self, task: Task, delivery: Delivery) -> None:
        bus = self._deps.bus
        subject = subjects.done(task.evaluation_id, task.stage, task.item)
        if await until_reachable(partial(bus.last, subject)) is not None:
            self.counts.reused += 1
            metrics.count(names.ITEMS, stage=task.stage.value, outcome="reused")
            await until_reachable(delivery.ack)
            return
        if await self._cancellations.is_cancelled(task.evaluation_id):
            await until_reachable(delivery.ack)
            return
        item = ItemInHand(task, delivery, alone=delivery.deliveries >= ISOLATED_FROM)
        with item_told(item) as told:
            async with heartbeat(item, self._consumer.ack_wait_s / 3, self._cancellations):
                fact = await self._work(item)
            told.ended(fact)
            if fact is not None:
                source = f"{task.stage.value}/{task.item}"
                words = headers("bakeoff.v1.DoneFact", task.stage.value, task.evaluation_id, source, told.trace)
                await until_reachable(
                    partial(bus.publish, subject, done_fact_to_bytes(fact), headers=words, first_only=True)
                )
                if fact.failure is not None:
                    await self._bury(task, fact.failure, delivery.deliveries)
        await until_reachable(delivery.ack)

    async def _work(self, item: ItemInHand) -> DoneFact | None:
        """Work on an item until it has ended; None when its evaluation was cancelled."""
        attempt = 0
        unreachable = 0
        while not item.cancelled:
            item.began(attempt + 1)
            try:
                ref, counts = await self._result(item)
                self.ready = True
                if counts is REUSED:
                    self.counts.reused += 1
                else:
                    self.counts.executed += 1
                return item.done(ref, dict(counts))
            except CancelledItemError:
                break
            except OutOfReachError as error:
                # Not an attempt: the item stays in hand until the platform is back.
                self.ready = False
                unreachable += 1
                metrics.count(names.OUTAGES, stage=item.task.stage.value)
                item.alone = item.alone or unreachable >= ISOLATED_AFTER_OUTAGES
                self._log.warning("out of reach", reason=str(error), times=unreachable)
                await asyncio.sleep(delay_s(unreachable))
                continue
            except Exception as error:
                attempt += 1
                failure = failure_of(error)
                if isinstance(error, GIVE_UP) or attempt >= self._deps.settings.attempts:
                    self.counts.executed += 1
                    self.counts.failed += 1
                    self._log.error("item given up", reason=failure.reason, attempts=attempt)
                    return item.failed(failure)
                self._log.warning("item raised", attempt=attempt, exc_info=error)
                metrics.count(names.RETRIES, stage=item.task.stage.value)
            await asyncio.sleep(delay_s(attempt))
        self._log.info("item dropped, its evaluation was cancelled")
        return None

    async def _result(self, item: ItemInHand) -> tuple[ObjectRef, dict[str, int]]:
        if not item.alone:
            # One visit to a thread: for a short item the way there and back is a good part of its time.
            loop, one = asyncio.get_running_loop(), asyncio.current_task()
            waits = partial(loop.call_soon_threadsafe, self._waits, one)
            return await self._thread(partial(self._work_here, item, loop, waits))
        key = self._handler.result_key(item.task)
        there = await self._thread(partial(existing, self._deps.objects, key))
        if there is not None:
            return there, REUSED
        result = await self._isolation.run(self._module, item.task)
        return await self._thread(partial(self._store, key, result))

    def _work_here(
        self, item: ItemInHand, loop: asyncio.AbstractEventLoop, on_wait: Callable[[], object]
    ) -> tuple[ObjectRef, dict[str, int]]:
        key = self._handler.result_key(item.task)
        there = existing(self._deps.objects, key)
        if there is not None:
            return there, REUSED
        item.context = LoopItemContext(
            item.task,
            self._deps.objects,
            self._deps.bus,
            loop,
            on_wait=on_wait,
        )
        try:
            return self._store(key, self._handler.handle(item.task, item.context))
        finally:
            item.context.close()

    def _store(self, key: str, result: Result) -> tuple[ObjectRef, dict[str, int]]:
        with spans.span("store result", key=key, size_bytes=len(result.data)):
            created = self._deps.objects.create(key, result.data, media_type=result.media_type)
        return created.ref, result.counts

    async def _thread(self, call: Callable[[], T]) -> T:
        context = contextvars.copy_context()
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: context.run(call))

    async def _bury(self, task: Task, failure: Failure, deliveries: int) -> None:
        subject = subjects.dead(task.evaluation_id, task.stage, task.item)
        letter = dead_letter_to_bytes(task, failure, now(), deliveries)
        await until_reachable(partial(self._deps.bus.publish, subject, letter))


def existing(objects: ObjectStore, key: str) -> ObjectRef | None:
    """Return the reference of an object that is there; None when it is not."""
    info = objects.stat(key)
    if info is None:
        return None
    digest = info.sha256 or sha256_hex(objects.read_key(key))
    return ObjectRef(key, digest, info.size_bytes)
