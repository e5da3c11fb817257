"""A connection to NATS that comes back by itself, and requests over it that never hang."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime import logs

PATIENCE_S = 5.0
"""How long one call waits for a server that is away or silent, over all its tries; a restart takes under 1 s."""
TRY_S = 2.0
"""How long one try waits for its answer. The slowest answers of a busy machine take tens of milliseconds."""
PAUSE_S = 0.05
"""Pause before the next try when the server said that nobody is there."""
RECONNECT_S = 0.2
CLOSE_S = 2
NOBODY = "503"

log = logs.get("bus")


class AnswerLostError(Exception):
    """The answer did not come: what was asked for may or may not have happened."""


class NobodyThereError(Exception):
    """Nobody listens on the subject: no such stream or consumer, or the server has not yet loaded it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, and whether it is that to a first try."""

    message: Msg
    repeated: bool
    """True when an earlier try may have done its work already."""


class NatsConnection:
    """One connection. Where nats-py would wait for ever or buffer in silence, this raises."""

    def __init__(self, url: str, token: str, name: str, patience_s: float = PATIENCE_S) -> None:
        """Say where to connect to; `open` does it.

        Args:
            url: `nats://host:port`, several separated by commas.
            token: What the server wants to see; empty for none.
            name: Who connects.
            patience_s: How long a call waits for a server that does not answer.
        """
        self._servers = [server.strip() for server in url.split(",")]
        self._token = token
        self._name = name
        self.patience_s = patience_s
        self._client = Client()
        self._up = asyncio.Event()
        self._closing = False
        self._trouble = "it never answered"
        self._reviving: asyncio.Task[None] | None = None
        self._prefix = f"_INBOX.{secrets.token_hex(11)}"
        self._tokens = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[Msg]] = {}
        self._losers: set[Callable[[], None]] = set()

    @property
    def address(self) -> str:
        """Where the server is, without credentials."""
        return ", ".join(urlsplit(server).netloc.rpartition("@")[2] or server for server in self._servers)

    @property
    def connected(self) -> bool:
        """Whether the server is reachable now."""
        return bool(self._client.is_connected) and not self._closing

    async def open(self) -> None:
        """Connect, trying again until the patience is at its end.

        Raises:
            OutOfReachError: nobody answers; the message has the address.
            InvalidInputError: the server refuses the token, or the address is none.
        """
        client = Client()
        loop = asyncio.get_running_loop()
        refused: asyncio.Future[None] = loop.create_future()

        async def on_error(error: Exception) -> None:
            self._trouble = str(error) or type(error).__name__
            if "authorization violation" in self._trouble.lower() and not refused.done():
                refused.set_result(None)

        async def on_disconnected() -> None:
            self._lose(client)

        async def on_reconnected() -> None:
            self._up.set()
            log.info("bus reconnected", address=self.address)

        async def on_closed() -> None:
            self._lose(client)
            if not self._closing and client is self._client:
                self._reviving = asyncio.create_task(self._revive())

        connecting = asyncio.ensure_future(
            client.connect(
                self._servers,
                name=self._name,
                token=self._token or None,
                error_cb=on_error,
                disconnected_cb=on_disconnected,
                reconnected_cb=on_reconnected,
                closed_cb=on_closed,
                connect_timeout=TRY_S,  # type: ignore[arg-type]  # a fraction does as well
                reconnect_time_wait=RECONNECT_S,  # type: ignore[arg-type]  # here, too
                max_reconnect_attempts=-1,
                ping_interval=5,  # a server that is frozen is noticed after 15 s
                max_outstanding_pings=2,
                pending_size=0,  # no buffering while disconnected: what was refused must not arrive later
            )
        )
        try:
            await asyncio.wait({connecting, refused}, timeout=self.patience_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not connecting.done():
                connecting.cancel()
        done = (await asyncio.gather(connecting, return_exceptions=True))[0]
        if done is None:
            self._client = client
            await client.subscribe(f"{self._prefix}.*", cb=self._on_answer)
            self._up.set()
            return
        await self._discard(client)
        if refused.done():
            raise InvalidInputError(f"the bus at {self.address} refuses the token (BAKEOFF_NATS_TOKEN)")
        if isinstance(done, nats.errors.Error | ValueError) and not isinstance(done, TimeoutError):
            raise InvalidInputError(f"the bus cannot be reached under the address {self.address!r}: {done}")
        raise self.out_of_reach()

    async def close(self) -> None:
        """Flush and disconnect; takes no longer than two seconds."""
        self._closing = True
        if self._reviving:
            self._reviving.cancel()
        if self._client.is_connected:
            with contextlib.suppress(nats.errors.Error, TimeoutError, OSError):
                await self._client.flush(timeout=CLOSE_S)
        await self._discard(self._client)
        self._lose(self._client)

    def out_of_reach(self, doing: str = "") -> OutOfReachError:
        """Return the error that says that the server does not answer."""
        return OutOfReachError(
            f"the bus at {self.address} does not answer{f' to {doing}' if doing else ''}; last trouble: {self._trouble}"
        )

    async def until_connected(self, deadline: float) -> None:
        """Wait for the connection.

        Args:
            deadline: In seconds of the loop's clock.

        Raises:
            OutOfReachError: it is not there by then.
        """
        loop = asyncio.get_running_loop()
        while not self.connected:
            left = deadline - loop.time()
            if left <= 0 or self._closing:
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
            if not self.connected:
                await self.until_connected(deadline)
            try:
                left = min(TRY_S, max(deadline - loop.time(), PAUSE_S))
                return Answer(await self._try(subject, data, headers, left), repeated)
            except AnswerLostError:
                repeated = True
            except NobodyThereError:
                if not somebody:
                    raise
                await asyncio.sleep(PAUSE_S)
            if loop.time() >= deadline:
                raise self.out_of_reach(subject)

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
            lose: Called once when the connection goes away, until `forget`.

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

    async def _try(self, subject: str, data: bytes, headers: Mapping[str, str] | None, timeout_s: float) -> Msg:
        loop = asyncio.get_running_loop()
        token = str(next(self._tokens))
        answer: asyncio.Future[Msg] = loop.create_future()
        self._waiting[token] = answer
        timer = loop.call_later(timeout_s, _fail, answer)
        try:
            await self.send(subject, data, headers, f"{self._prefix}.{token}")
            message = await answer
        finally:
            timer.cancel()
            del self._waiting[token]
        if is_nobody(message):
            raise NobodyThereError(subject)
        return message

    async def _on_answer(self, message: Msg) -> None:
        answer = self._waiting.get(message.subject[len(self._prefix) + 1 :])
        if answer and not answer.done():
            answer.set_result(message)

    def _lose(self, client: Client) -> None:
        if client is not self._client:
            return
        if self._up.is_set() and not self._closing:
            log.warning("bus connection lost", address=self.address)
        self._up.clear()
        for answer in self._waiting.values():
            _fail(answer)
        for lose in tuple(self._losers):
            lose()

    async def _revive(self) -> None:
        """Connect anew after nats-py has given up, as it does at some errors of the server."""
        while not self._closing:
            try:
                await self.open()
                return
            except (OutOfReachError, InvalidInputError) as error:
                log.warning("bus cannot be reached", reason=str(error))
                await asyncio.sleep(RECONNECT_S)

    @staticmethod
    async def _discard(client: Client) -> None:
        with contextlib.suppress(nats.errors.Error, OSError, TimeoutError):
            await asyncio.wait_for(client.close(), CLOSE_S)


def is_nobody(message: Msg) -> bool:
    """Say whether a message is the server's word that nobody listens on the subject of the request."""
    return not message.data and (message.headers or {}).get("Status") == NOBODY


def _fail(answer: asyncio.Future[Msg]) -> None:
    if not answer.done():
        answer.set_exception(AnswerLostError())
