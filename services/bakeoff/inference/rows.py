"""Rows that are answered as they come: begun in their order, given back as they end, a bounded number at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from types import TracebackType
from typing import Any, Self

from bakeoff.v1.inference_service_pb2 import GenerateAnswersResponse

AT_ONCE = 64
"""Rows that are begun and not ended: enough to keep a model busy, few enough to hold their contexts in memory."""


class Rows:
    """The answers of rows that somebody begins, as an asynchronous iterator."""

    def __init__(self) -> None:
        """Nothing is begun yet."""
        self._room = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended: asyncio.Queue[GenerateAnswersResponse | None] = asyncio.Queue()
        self._last = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give up what is still being answered: nobody waits for it any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def begin(self, answer: Coroutine[Any, Any, GenerateAnswersResponse]) -> None:
        """Begin a row, when there is room. What its answer raises ends the iteration of nobody: it must not raise."""
        await self._room.acquire()
        task = asyncio.create_task(self._one(answer))
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def end(self) -> None:
        """Say that no further row will begin."""
        self._last = True
        if not self._tasks:
            self._ended.put_nowait(None)

    def __aiter__(self) -> AsyncIterator[GenerateAnswersResponse]:
        return self._responses()

    async def _responses(self) -> AsyncIterator[GenerateAnswersResponse]:
        while (response := await self._ended.get()) is not None:
            yield response

    async def _one(self, answer: Coroutine[Any, Any, GenerateAnswersResponse]) -> None:
        try:
            self._ended.put_nowait(await answer)
        finally:
            self._room.release()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._last and not self._tasks:
            self._ended.put_nowait(None)
