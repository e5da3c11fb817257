"""A connection to NATS that comes back by itself, and requests over it that never hang."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime import logs
from bakeoff.runtime.nats_answers import AnswerLostError, Answers, NobodyThereError
from bakeoff.runtime.nats_opening import RECONNECT_S, Hooks, Login, close_client, open_client

PATIENCE_S = 5.0
"""How long one call waits for a server that is away or silent, over all its tries; a restart takes under 1 s."""
TRY_S = 2.0
"""How long one try waits for its answer. The slowest answers of a busy machine take tens of milliseconds."""
PAUSE_S = 0.05
"""Pause before the next try when the server said that nobody is there."""

log = logs.get("bus")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, and whether it is that to a first try."""

    message: Msg
    repeated: bool
    """True when an earlier try may have done its work already."""


class NatsConnection:
    """One connection. Where nats-py would wait for ever or buffer in silence, this raises."""

    def __init__(self, login: Login, patience_s: float = PATIENCE_S) -> None:
        """Say where to connect to; `open` does it.

        Args:
            login: Where, and as whom.
            patience_s: How long a call waits for a server that does not answer.
        """
        self._login = login
        self.patience_s = patience_s
        self.closed = False
        """Whether it was closed on purpose."""
        self.losses = 0
        """How often the connection went away."""
        self._client = Client()
        self._up = asyncio.Event()
        self._trouble = "none"
        self._reviving: asyncio.Task[None] | None = None
        self._answers = Answers(login.inbox)
        self._losers: set[Callable[[], None]] = set()

    @property
    def address(self) -> str:
        """Where the server is, without credentials."""
        return self._login.address

    @property
    def inbox(self) -> str:
        """Begin of the subjects on which answers come."""
        return self._login.inbox

    @property
    def connected(self) -> bool:
        """Whether the server is reachable now."""
        return bool(self._client.is_connected) and not self.closed

    async def open(self) -> None:
        """Connect, and stay connected until closed.

        Raises:
            OutOfReachError: nobody answers; the message has the address.
            InvalidInputError: the server refuses the token, or the address is none.
        """
        hooks = Hooks(self._on_trouble, self._on_lost, self._on_back, self._on_gave_up)
        self._client = await open_client(self._login, hooks, self.patience_s)
        await self._client.subscribe(self._answers.subject, cb=self._answers.take)
        self._up.set()

    async def close(self) -> None:
        """Flush and disconnect, within a few seconds."""
        self.closed = True
        if self._reviving:
            self._reviving.cancel()
        await close_client(self._client)
        self._on_lost(self._client)

    def out_of_reach(self, doing: str = "") -> OutOfReachError:
        """Return the error that says that the server does not answer."""
        if self.closed:
            return OutOfReachError(f"the connection to the bus at {self.address} was closed")
        what = f" ({doing})" if doing else ""
        return OutOfReachError(f"the bus at {self.address} does not answer{what}; last trouble: {self._trouble}")

    async def until_connected(self, deadline: float) -> None:
        """Wait for the connection.

        Args:
            deadline: In seconds of the loop's clock.

        Raises:
            OutOfReachError: it is not there by then, or was closed.
        """
        loop = asyncio.get_running_loop()
        while not self.connected:
            left = deadline - loop.time()
            if left <= 0 or self.closed:
                raise self.out_of_reach()
            if self._up.is_set():  # the client has noticed the loss, but not told us yet
                await asyncio.sleep(PAUSE_S)
                continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._up.wait(), left)

    async def ask(
        self, subject: str, data: bytes = b"", headers: Mapping[str, str] | None = None, *, somebody: bool = False
    ) -> Answer:
        """Send a request that may be repeated, and return the answer.

        Args:
            subject: Where to.
            data: What.
            headers: Sent along.
            somebody: Whether to wait, too, for somebody to listen on the subject.

        Raises:
            OutOfReachError: no answer came in time.
            NobodyThereError: nobody listens, and `somebody` is False.
            InvalidInputError: the message cannot be sent at all.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.patience_s
        repeated = False
        while True:
            await self.until_connected(deadline)
            try:
                left = min(TRY_S, max(deadline - loop.time(), PAUSE_S))
                return Answer(await self.ask_once(subject, data, headers, timeout_s=left), repeated)
            except AnswerLostError:
                repeated = True
            except NobodyThereError:
                if not somebody:
                    raise
                await asyncio.sleep(PAUSE_S)
            if loop.time() >= deadline:
                raise self.out_of_reach(subject)

    async def ask_once(
        self, subject: str, data: bytes, headers: Mapping[str, str] | None = None, *, timeout_s: float = TRY_S
    ) -> Msg:
        """Send a request, and return the answer.

        Raises:
            AnswerLostError: there is no connection, it went away, or no answer came in time.
            NobodyThereError: nobody listens.
            InvalidInputError: the message cannot be sent at all.
        """

        async def ask(reply: str) -> None:
            await self.send(subject, data, headers, reply)

        return await self._answers.get(ask, timeout_s)

    async def send(self, subject: str, data: bytes, headers: Mapping[str, str] | None = None, reply: str = "") -> None:
        """Send a message without waiting for an answer.

        Raises:
            AnswerLostError: there is no connection now.
            InvalidInputError: the message cannot be sent at all.
        """
        if not self.connected:
            raise AnswerLostError
        try:
            await self._client.publish(subject, data, reply=reply, headers=dict(headers) if headers else None)
        except (nats.errors.ConnectionClosedError, nats.errors.OutboundBufferLimitError) as error:
            raise AnswerLostError from error
        except (nats.errors.Error, ValueError) as error:
            raise InvalidInputError(f"a message on {subject!r} cannot be sent: {error}") from error

    async def subscribe(
        self, subject: str, take: Callable[[Msg], Awaitable[None]], lose: Callable[[], None]
    ) -> Subscription:
        """Have messages brought.

        Args:
            subject: On which they come.
            take: Called with each.
            lose: Called when the connection goes away, until `forget`.

        Raises:
            AnswerLostError: there is no connection now.
        """
        if not self.connected:
            raise AnswerLostError
        try:
            subscription = await self._client.subscribe(subject, cb=take)
        except nats.errors.Error as error:
            raise AnswerLostError from error
        self._losers.add(lose)
        return subscription

    def forget(self, lose: Callable[[], None]) -> None:
        """Call no more when the connection goes away."""
        self._losers.discard(lose)

    def _on_trouble(self, trouble: str) -> None:
        self._trouble = trouble

    def _on_lost(self, client: Client) -> None:
        if client is not self._client:
            return
        if self._up.is_set() and not self.closed:
            log.warning("bus connection lost", address=self.address)
        self.losses += 1
        self._up.clear()
        self._answers.lose()
        for lose in tuple(self._losers):
            lose()

    def _on_back(self, client: Client) -> None:
        if client is self._client:
            self._up.set()
            log.info("bus reconnected", address=self.address)

    def _on_gave_up(self, client: Client) -> None:
        self._on_lost(client)
        if client is self._client and not self.closed:
            self._reviving = asyncio.create_task(self._revive())

    async def _revive(self) -> None:
        while not self.closed:
            try:
                await self.open()
                log.info("bus connected anew", address=self.address)
                return
            except (OutOfReachError, InvalidInputError) as error:
                log.warning("bus cannot be reached", reason=str(error))
                await asyncio.sleep(RECONNECT_S)
