"""Taking items: as many at once as there are slots, more where some only wait."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import structlog

from bakeoff.contract import subjects
from bakeoff.contract.work_codec import task_from_bytes
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime import logs
from bakeoff.runtime.backoff import delay_s, until_reachable
from bakeoff.runtime.bus import Delivery
from bakeoff.runtime.cancellations import Cancellations
from bakeoff.runtime.isolation import Isolation
from bakeoff.runtime.item_handling import ItemHandling, WorkerCounts
from bakeoff.runtime.items import StageHandler
from bakeoff.runtime.service import Deps
from bakeoff.runtime.task_versions import TaskVersions

FETCH_S = 2.0
MOST_WAITING = 32
"""Items that may have given their slot to others."""
GATHER_S = 0.002
"""Pause in which more slots may become free: a pull for one message costs the server as much as one for a hundred."""


class Worker:
    """Takes the items of one stage, as many at once as it has slots."""

    def __init__(
        self,
        deps: Deps,
        handler: StageHandler,
        module: str,
        isolation: Isolation,
        cancellations: Cancellations,
        versions: TaskVersions,
    ) -> None:
        """Make a worker; `run` starts it.

        Args:
            deps: What the service was given.
            handler: The work of the stage.
            module: Import path of the service's module, for the child process.
            isolation: How an item is run alone.
            cancellations: Which evaluations were cancelled.
            versions: Which tasks are for the components of this process.
        """
        self._deps = deps
        self.stage = handler.stage
        """Whose items it takes."""
        self._consumer = subjects.stage_consumer(handler.stage, deps.settings.ack_wait_s)
        self._in_hand: set[asyncio.Task[None]] = set()
        self._waiting: set[asyncio.Task[None]] = set()
        """Items in hand that have given their slot away."""
        self._room = asyncio.Event()
        threads = deps.settings.slots + MOST_WAITING
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"{handler.stage.value}-item")
        self._items = ItemHandling(
            deps, handler, module, isolation, cancellations, versions, self._threads, self._waits
        )
        self._log = logs.get(handler.stage.value)

    @property
    def counts(self) -> WorkerCounts:
        """What it has done since it started."""
        return self._items.counts

    @property
    def ready(self) -> bool:
        """Whether everything that the work needs answers."""
        return self._items.ready

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
                await self._items.handle(task, delivery)
            except Exception:
                # The item comes again after the ack wait; whatever went wrong here must not end the worker.
                self._log.exception("item left in the queue")
