"""What a handler is given when it runs in a thread of the worker, or alone in a child process."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import tempfile
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from bakeoff.contract import subjects
from bakeoff.contract.codec import download_to_bytes
from bakeoff.contract.work_codec import done_fact_from_bytes
from bakeoff.domain.answer import Failure
from bakeoff.domain.errors import BakeoffError, CancelledItemError, OutOfReachError, UnavailableError
from bakeoff.domain.evaluation import Download, Stage
from bakeoff.domain.work import DoneFact, Task
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.items import PoisonedCaseError
from bakeoff.runtime.objects import ObjectStore
from bakeoff.runtime.scratch import scratch_folder

T = TypeVar("T")
ANSWER_S = 30.0
"""Longest wait of a handler's thread for the loop that keeps the bus."""


class LoopItemContext:
    """An ItemContext over a bus whose event loop runs in another thread."""

    def __init__(
        self,
        task: Task,
        objects: ObjectStore,
        bus: Bus,
        loop: asyncio.AbstractEventLoop,
        *,
        isolated: bool = False,
        poisoned: Mapping[str, Failure] | None = None,
        on_begin: Callable[[str], None] = lambda case_id: None,
        on_wait: Callable[[], object] = lambda: None,
        scratch_root: Path | None = None,
    ) -> None:
        """Stand between a handler and the platform.

        Args:
            task: The item.
            objects: The object store.
            bus: Only ever used on its own loop.
            loop: That loop.
            isolated: Whether the item runs alone in a child process.
            poisoned: Cases that killed a process before, with the failure that they end with.
            on_begin: Told of each case that begins.
            on_wait: Told when the item gives its slot away.
            scratch_root: Where its scratch folder is made; None means the system's folder for temporary files.
        """
        self._task = task
        self._objects = objects
        self._bus = bus
        self._loop = loop
        self._scratch_root = scratch_root
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._isolated = isolated
        self._poisoned = poisoned or {}
        self._on_begin = on_begin
        self._on_wait = on_wait
        self._cancelled = threading.Event()

    @property
    def objects(self) -> ObjectStore:
        """The object store."""
        return self._objects

    @property
    def scratch(self) -> Path:
        """A folder of the item's own, removed afterwards."""
        if self._scratch is None:
            # Made when it is asked for: most items need none, and a folder costs as much as a round trip.
            self._scratch = scratch_folder(self._scratch_root, "bakeoff-item-")
        return Path(self._scratch.name)

    def close(self) -> None:
        """Remove the scratch folder."""
        if self._scratch is not None:
            self._scratch.cleanup()

    @property
    def isolated(self) -> bool:
        """Whether the item runs alone in a child process, so that a case that kills it can be told."""
        return self._isolated

    def cancel(self) -> None:
        """Make the next `begin` raise."""
        self._cancelled.set()

    def fact(self, stage: Stage, item: str) -> DoneFact:
        """Return how an item that this one needs has ended; UnavailableError when it has not."""
        message = self._ask(lambda: self._bus.last(subjects.done(self._task.evaluation_id, stage, item)))
        if message is None:
            raise UnavailableError(f"the item {stage.value}/{item} has not ended")
        return done_fact_from_bytes(message.data)

    def facts(self, stage: Stage) -> list[DoneFact]:
        """Return how the items of a stage of this evaluation have ended, by item."""
        messages = self._ask(lambda: self._bus.messages(subjects.done_of(self._task.evaluation_id, stage)))
        return sorted((done_fact_from_bytes(message.data) for message in messages), key=lambda fact: fact.item)

    def waiting(self) -> AbstractContextManager[None]:
        """Give the item's slot to another one, and do not take it back: little is left to do afterwards."""
        self._on_wait()
        return nullcontext()

    def tell_download(self, download: Download) -> None:
        """Say how far a download is; lost without a word when the bus does not take it."""
        subject = subjects.download(self._task.evaluation_id, self._task.item)
        told = self._publish_lossily(subject, download_to_bytes(download))
        try:
            asyncio.run_coroutine_threadsafe(told, self._loop)
        except RuntimeError:  # the process ends, and its threads have not noticed yet
            told.close()

    async def _publish_lossily(self, subject: str, data: bytes) -> None:
        with contextlib.suppress(BakeoffError):
            await self._bus.publish(subject, data)

    def begin(self, case_id: str = "") -> None:
        """Say that the work on a case begins; raises when the evaluation was cancelled or the case kills."""
        if self._cancelled.is_set():
            raise CancelledItemError(f"evaluation {self._task.evaluation_id} was cancelled")
        if case_id in self._poisoned:
            raise PoisonedCaseError(self._poisoned[case_id])
        self._on_begin(case_id)

    def _ask(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        future = asyncio.run_coroutine_threadsafe(call(), self._loop)
        try:
            return future.result(ANSWER_S)
        except concurrent.futures.TimeoutError as error:
            future.cancel()
            raise OutOfReachError(f"the bus did not answer within {ANSWER_S:.0f} s") from error
