"""A place for answers that come as several messages."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from types import TracebackType

import nats.errors
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from bakeoff.runtime.nats_answers import AnswerLostError
from bakeoff.runtime.nats_connection import NatsConnection
from bakeoff.runtime.nats_opening import CLOSE_S


class Inbox:
    """Messages that come in answer to one request; an async context manager."""

    def __init__(self, connection: NatsConnection) -> None:
        """Belong to a connection; entering the context subscribes."""
        self._connection = connection
        self._messages: deque[Msg] = deque()
        self._lost = False
        self._waiter: asyncio.Future[None] | None = None
        self._subscription: Subscription | None = None
        self.subject = f"{connection.inbox}.{secrets.token_hex(11)}"

    async def __aenter__(self) -> Inbox:
        """Subscribe.

        Raises:
            AnswerLostError: there is no connection.
        """
        self._subscription = await self._connection.subscribe(self.subject, self._put, self._lose)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.forget(self._lose)
        if self._subscription:
            with contextlib.suppress(nats.errors.Error, OSError):
                await self._subscription.unsubscribe()

    async def next(self, timeout_s: float) -> Msg | None:
        """Return the next message; None when none came in time.

        Raises:
            AnswerLostError: the connection went away, and with it whatever was to come.
        """
        if not self._messages and not self._lost:
            loop = asyncio.get_running_loop()
            self._waiter = loop.create_future()
            timer = loop.call_later(timeout_s, self._wake)
            try:
                await self._waiter
            finally:
                timer.cancel()
                self._waiter = None
        if self._messages:
            return self._messages.popleft()
        if self._lost:
            raise AnswerLostError
        return None

    async def rest(self) -> list[Msg]:
        """Ask for no more, and return what was still under way."""
        if self._subscription:
            with contextlib.suppress(nats.errors.Error, OSError, TimeoutError):
                await asyncio.wait_for(self._subscription.drain(), CLOSE_S)  # type: ignore[no-untyped-call]
            self._subscription = None
        rest = list(self._messages)
        self._messages.clear()
        return rest

    async def _put(self, message: Msg) -> None:
        self._messages.append(message)
        self._wake()

    def _lose(self) -> None:
        self._lost = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)
