"""An item that a worker has in hand: its signs of life, and the fact that it ends with."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bakeoff.contract.codec import now
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import BakeoffError, InvalidInputError, NotFoundError, OutOfReachError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.work import DoneFact, ItemOutcome, Task
from bakeoff.runtime.bus import Delivery
from bakeoff.runtime.cancellations import Cancellations
from bakeoff.runtime.item_context import LoopItemContext

WORKER = f"{socket.gethostname()}:{os.getpid()}"
CANCEL_CHECK_S = 0.5
"""Longest time in which a worker does not notice a cancellation, but for the step in hand."""


class ItemInHand:
    """A task between its delivery and its fact."""

    def __init__(self, task: Task, delivery: Delivery, *, alone: bool = False) -> None:
        """Take a task in hand."""
        self.task = task
        self.delivery = delivery
        self.alone = alone
        """Whether it runs in a child process."""
        self.context: LoopItemContext | None = None
        """What its handler was given; None while no handler runs in this process."""
        self.cancelled = False
        self._attempt = 1
        self._started_at = now()
        self._started = time.perf_counter()

    def began(self, attempt: int) -> None:
        """Start the clock of an attempt, counted from 1."""
        self._attempt = attempt
        self._started_at, self._started = now(), time.perf_counter()

    def cancel(self) -> None:
        """Let the item pass at the next step."""
        self.cancelled = True
        if self.context is not None:
            self.context.cancel()

    def done(self, result: ObjectRef, counts: dict[str, int]) -> DoneFact:
        """Return the fact of an item with a result."""
        return self._fact(ItemOutcome.DONE, result, None, counts)

    def failed(self, failure: Failure) -> DoneFact:
        """Return the fact of an item that is given up."""
        return self._fact(ItemOutcome.FAILED, None, failure, {})

    def _fact(
        self, outcome: ItemOutcome, result: ObjectRef | None, failure: Failure | None, counts: dict[str, int]
    ) -> DoneFact:
        task = self.task
        return DoneFact(
            task.evaluation_id,
            task.stage,
            task.item,
            outcome,
            result,
            failure,
            self._started_at,
            (time.perf_counter() - self._started) * 1000,
            self._attempt,
            counts,
            WORKER,
        )


def failure_of(error: Exception) -> Failure:
    """Return the failure that an error is told as: the class decides who is to blame."""
    if isinstance(error, InvalidInputError | NotFoundError):
        return Failure(FailureKind.INPUT, str(error))
    words = str(error) if isinstance(error, BakeoffError) else f"{type(error).__name__}: {error}"
    return Failure(FailureKind.INFRASTRUCTURE, words)


@asynccontextmanager
async def heartbeat(item: ItemInHand, every_s: float, cancellations: Cancellations) -> AsyncIterator[None]:
    """Say that the work goes on for as long as the block lasts, and notice a cancellation meanwhile.

    It beats on the event loop, while handlers compute in threads or processes and so cannot starve it.

    Args:
        item: Whose message is kept alive.
        every_s: A third of the ack wait.
        cancellations: Where a cancellation shows.
    """

    async def beat() -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(min(every_s, CANCEL_CHECK_S))
            if not item.cancelled and await cancellations.is_cancelled(item.task.evaluation_id):
                item.cancel()
            if time.monotonic() - last >= every_s - CANCEL_CHECK_S:
                last = time.monotonic()
                try:
                    await item.delivery.in_progress()
                except OutOfReachError:
                    # The message may be given to somebody else; then whoever is first wins.
                    continue

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
