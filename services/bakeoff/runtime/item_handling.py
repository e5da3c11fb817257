"""The one order in which an item is handled, owned here so that no handler can get it wrong.

1. Is there a fact of the item? Acknowledge, finished.
2. Do the work; write the result with create-if-absent under its derived key; if somebody was first, use theirs.
3. Publish the fact, unless there is one.
4. Acknowledge, and wait for the confirmation.

So every step may be repeated at any time by anyone and has its effect once.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from bakeoff.contract import subjects
from bakeoff.contract.codec import now
from bakeoff.contract.work_codec import dead_letter_to_bytes, done_fact_to_bytes
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
from bakeoff.runtime.scratch import scratch_root
from bakeoff.runtime.service import Deps
from bakeoff.runtime.task_versions import Fit, TaskVersions
from bakeoff.runtime.telemetry import metrics, names, spans

T = TypeVar("T")
GIVE_UP = (InvalidInputError, NotFoundError, ItemKilledError)
"""Errors that stay whatever is tried."""
ISOLATED_FROM = 3
"""Delivery from which an item runs alone: twice may be an accident, and it must take no neighbours with it."""
ISOLATED_AFTER_OUTAGES = 5
"""Outages in a row after which an item runs alone too: it may be what takes the platform down."""
HANDED_BACK_S = 0.5
"""Pause after an item that is for others, who would else find that this worker has taken it again."""


@dataclass
class WorkerCounts:
    """What a worker has done since it started."""

    executed: int = 0
    """Items that it worked on to their end, each once however many attempts it took; those given up too."""
    reused: int = 0
    """Items whose result or fact was there already."""
    failed: int = 0
    """Items that it gave up; also in `executed`."""


class ItemHandling:
    """Handles the items of one stage, each by itself and any number at once."""

    def __init__(
        self,
        deps: Deps,
        handler: StageHandler,
        module: str,
        isolation: Isolation,
        cancellations: Cancellations,
        versions: TaskVersions,
        threads: ThreadPoolExecutor,
        on_wait: Callable[[asyncio.Task[Any] | None], None],
    ) -> None:
        """Say what it works with.

        Args:
            deps: What the service was given.
            handler: The work of the stage.
            module: Import path of the service's module, for the child process.
            isolation: How an item is run alone.
            cancellations: Which evaluations were cancelled.
            versions: Which tasks are for the components of this process.
            threads: Where handlers run.
            on_wait: Told of the asyncio task whose item only waits for others from now on.
        """
        self._deps = deps
        self._handler = handler
        self._module = module
        self._isolation = isolation
        self._cancellations = cancellations
        self._versions = versions
        self._threads = threads
        self._waits = on_wait
        self._beat_s = deps.settings.ack_wait_s / 3
        self._log = logs.get(handler.stage.value)
        self.counts = WorkerCounts()
        self.ready = True
        """Whether everything that the work needs answers."""

    async def handle(self, task: Task, delivery: Delivery) -> None:
        """Take an item to its end: a fact, or an acknowledgement where it is not, or no longer, this worker's."""
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
        fit = await until_reachable(partial(self._versions.fit, task))
        if fit is Fit.OTHERS:
            # Not a delivery that failed: control misses the task in its next sweep, and publishes it anew.
            self._log.debug("item handed back: it is for workers with other versions of its components")
            metrics.count(names.ITEMS, stage=task.stage.value, outcome="handed_back")
            await until_reachable(delivery.ack)
            await asyncio.sleep(HANDED_BACK_S)
            return
        item = ItemInHand(task, delivery, alone=delivery.deliveries >= ISOLATED_FROM)
        with item_told(item) as told:
            async with heartbeat(item, self._beat_s, self._cancellations):
                fact = await self._work(item) if fit is Fit.OURS else self._refused(item)
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

    def _refused(self, item: ItemInHand) -> DoneFact:
        error = self._versions.refusal(item.task)
        self.counts.executed += 1
        self.counts.failed += 1
        self._log.error("item given up", reason=str(error), attempts=0)
        return item.failed(failure_of(error))

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
            scratch_root=scratch_root(self._deps.settings),
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
