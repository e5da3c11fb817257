"""Models that stay open between batches: one event loop for all, so that connections and shares of a limit last."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, aclosing, nullcontext
from typing import TYPE_CHECKING

from bakeoff.domain.answer import Failure
from bakeoff.domain.prompt import Completion
from bakeoff.models.asking import ModelRequest
from bakeoff.models.embedding import Vector

if TYPE_CHECKING:
    from bakeoff.models.model import Model, OnBatch, OnVectors

IDLE_S = 2.0
"""Seconds for which a model that nobody asks stays open."""
GATHER_S = 0.05
"""Between looks at what has come: to wake a thread for each answer costs as much as the answer."""
PLENTY = 1.5
"""Times what may be in flight is enough to wait: one batch ends while the next is fetched."""

Outcome = tuple[int, Completion | Failure]
WhileWaiting = Callable[[], AbstractContextManager[None]]
"""Makes what is entered when the model would take more than it is asked, and left when all is answered."""


class LastingModel:
    """One model, asked by many threads from the one loop of `LastingModels`."""

    def __init__(self, model: Model, loop: asyncio.AbstractEventLoop, forget: Callable[[LastingModel], None]) -> None:
        """Open nothing yet.

        Args:
            model: Which one.
            loop: Where it is asked.
            forget: Told when it is closed, after which it may be opened again.
        """
        self._model = model
        self._loop = loop
        self._forget = forget
        self._batches = 0
        self._open = 0
        self._idle: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def has_room(self) -> bool:
        """Whether it would take more than it is asked now."""
        return self._open < PLENTY * self._model.settings.bounds.most_at_once

    def ask_all(
        self,
        requests: Sequence[ModelRequest],
        on_answer: Callable[[int, Completion | Failure], None],
        *,
        scope: str = "",
        waiting: WhileWaiting = nullcontext,
    ) -> None:
        """Ask everything.

        Args:
            requests: What to ask.
            on_answer: Is told the number of each request, from 0, and its answer or why it has none, soon after they
                come, in the calling thread. What it raises ends the asking and is raised.
            scope: On whose behalf; see `Model.batch`.
            waiting: Entered when there is room for what others ask, until all is answered.

        Raises:
            OutOfReachError: the store of responses does not answer.
        """
        come: list[Outcome] = []
        ended, begun = threading.Event(), threading.Event()
        asking = asyncio.run_coroutine_threadsafe(self._ask_all(requests, come, scope, begun), self._loop)
        asking.add_done_callback(lambda _: ended.set())
        told = 0
        try:
            with ExitStack() as stack:
                over = waits = False
                while True:
                    # Before it has begun nobody knows what it is asked.
                    if not (over or waits) and begun.is_set() and self.has_room:
                        stack.enter_context(waiting())
                        waits = True
                    over = ended.wait(GATHER_S)
                    while told < len(come):
                        on_answer(*come[told])
                        told += 1
                    if over:
                        break
        except BaseException:
            asking.cancel()
            raise
        asking.result()

    def embed(
        self, texts: Sequence[str], *, batch: int, on_reply: OnVectors, on_batch: OnBatch
    ) -> list[Vector | Failure]:
        """Return the vector of each text, or why it has none; see `Model.embed`. Who is told is told in the loop."""
        embedding = self._embed(texts, batch, on_reply, on_batch)
        return asyncio.run_coroutine_threadsafe(embedding, self._loop).result()

    async def _embed(
        self, texts: Sequence[str], batch: int, on_reply: OnVectors, on_batch: OnBatch
    ) -> list[Vector | Failure]:
        await self._begin(1)
        try:
            return await self._model.embed(texts, batch=batch, on_reply=on_reply, on_batch=on_batch)
        finally:
            self._end(1)

    async def _ask_all(
        self, requests: Sequence[ModelRequest], come: list[Outcome], scope: str, begun: threading.Event
    ) -> None:
        await self._begin(len(requests))
        begun.set()
        left = len(requests)
        try:
            async with aclosing(self._model.ask_many(requests, scope=scope)) as outcomes:
                async for outcome in outcomes:
                    come.append(outcome)
                    self._open -= 1
                    left -= 1
        finally:
            self._end(left)

    async def _begin(self, requests: int) -> None:
        self._batches += 1
        self._open += requests
        if self._idle:
            self._idle.cancel()
            self._idle = None
        if self._closing:
            await self._closing

    def _end(self, left: int) -> None:
        self._batches -= 1
        self._open -= left
        if not self._batches:
            # What is hopeless may be mended by whoever opens it next, with another key.
            self._idle = self._loop.call_later(0 if self._model.hopeless else IDLE_S, self._close)

    def _close(self) -> None:
        self._idle = None
        self._forget(self)
        self._closing = self._loop.create_task(self._model.close())


class LastingModels:
    """The models of a process, on one event loop in a thread of its own. Thread-safe."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._models: dict[str, LastingModel] = {}

    def of(self, model: Model) -> LastingModel:
        """Return the open model that is asked as this one would be: one that is here already, or this one."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="models", daemon=True).start()
            if model.identity not in self._models:
                self._models[model.identity] = LastingModel(model, self._loop, self._forget)
            return self._models[model.identity]

    def _forget(self, closed: LastingModel) -> None:
        with self._lock:
            self._models = {identity: each for identity, each in self._models.items() if each is not closed}
