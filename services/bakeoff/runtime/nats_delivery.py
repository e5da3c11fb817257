"""Fetching messages of a consumer, and what is done with them in hand."""

from __future__ import annotations

import asyncio
import contextlib

import msgspec
from nats.aio.msg import Msg

from bakeoff.contract.subjects import ConsumerSpec
from bakeoff.domain.errors import OutOfReachError
from bakeoff.runtime.bus import Message
from bakeoff.runtime.nats_answers import AnswerLostError, NobodyThereError, is_nobody
from bakeoff.runtime.nats_api import PREFIX, RefusedError, call, delete
from bakeoff.runtime.nats_connection import PAUSE_S, TRY_S, NatsConnection
from bakeoff.runtime.nats_inbox import Inbox
from bakeoff.runtime.nats_leader import at
from bakeoff.runtime.nats_reading import own_headers
from bakeoff.runtime.nats_streams import NANOSECONDS, NatsStreams

ACK, NAK, TERM, IN_PROGRESS = b"+ACK", b"-NAK", b"+TERM", b"+WPI"
WORD_S = 1.0
"""How long a word about a message waits for its confirmation. Too short does no harm: it costs a request."""
DOUBTFUL_S = 0.2
"""The same when the connection was lost since the delivery: the server may have forgotten it."""
SETTLE_S = 0.25
"""Silence after which a pull is over that has brought something and does not end: the consumer has its fill in hand."""


class NatsDelivery:
    """A message in hand."""

    __slots__ = ("_connection", "_consumer", "_losses", "_reply", "_settled", "_streams", "deliveries", "message")

    def __init__(self, connection: NatsConnection, streams: NatsStreams, consumer: ConsumerSpec, message: Msg) -> None:
        """Take what was delivered."""
        metadata = message.metadata
        self._connection = connection
        self._losses = connection.losses
        self._streams = streams
        self._consumer = consumer
        self._reply = message.reply
        self._settled = False
        self.deliveries: int = metadata.num_delivered
        self.message = Message(message.subject, message.data, metadata.sequence.stream, own_headers(message.headers))

    async def ack(self) -> None:
        """Acknowledge, and wait until the server has confirmed."""
        await self._settle(ACK)

    async def nak(self, delay_s: float = 0.0) -> None:
        """Give it back, to be delivered again after a delay."""
        delay = b" " + msgspec.json.encode({"delay": int(delay_s * NANOSECONDS)}) if delay_s > 0 else b""
        await self._settle(NAK + delay)

    async def term(self) -> None:
        """Give it up: it is never delivered again."""
        await self._settle(TERM)

    async def in_progress(self) -> None:
        """Say that the work goes on."""
        if not self._settled:
            await self._tell(IN_PROGRESS)

    async def _settle(self, word: bytes) -> None:
        if not self._settled:
            await self._tell(word)
            self._settled = True

    async def _tell(self, word: bytes) -> None:
        """Send a word about the message until it is confirmed.

        The server confirms a repetition, too, and a word about a message that is gone. But it says nothing at all about
        a delivery that it has forgotten: a crash takes the last moments of a consumer's memory with it.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._connection.patience_s
        while True:
            doubtful = self._connection.losses > self._losses
            try:
                await self._connection.ask_once(self._reply, word, timeout_s=DOUBTFUL_S if doubtful else WORD_S)
                return
            except (AnswerLostError, NobodyThereError):
                await self._connection.until_connected(deadline)
            if await self._is_settled_without(word):
                return
            if loop.time() > deadline:
                raise self._connection.out_of_reach(f"{word.decode()} for {self.message.subject}")

    async def _is_settled_without(self, word: bytes) -> bool:
        """Reach by another way what a word that was not confirmed was to reach; return whether it is."""
        stream = self._consumer.stream
        if word in (ACK, TERM) and await self._streams.is_work_queue(stream):
            found = await at(self._connection, stream, self.message.sequence)
            # A stream that was made anew counts from 1 again, and the number may be another message's.
            if found and found.message.subject == self.message.subject:
                await delete(self._connection, stream, self.message.sequence)
            return True
        try:
            info = await call(self._connection, f"CONSUMER.INFO.{stream}.{self._consumer.durable}")
        except RefusedError:
            return True  # a consumer that is made anew delivers everything again
        # What it does not know to have delivered, it will deliver again.
        return bool(info["delivered"]["stream_seq"] < self.message.sequence)


async def fetch(
    connection: NatsConnection, streams: NatsStreams, consumer: ConsumerSpec, batch: int, timeout_s: float
) -> list[NatsDelivery]:
    """Return at most `batch` messages, waiting for the first; creates the consumer when it is gone.

    Raises:
        OutOfReachError: there is no connection at the end of the time, or the server is silent.
        InvalidInputError: the consumer is gone and cannot be created.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    while True:
        await connection.until_connected(deadline)
        try:
            messages = await _pull(connection, consumer, batch, max(deadline - loop.time(), PAUSE_S))
            return [NatsDelivery(connection, streams, consumer, message) for message in messages]
        except AnswerLostError:
            # The server forgets a pull at its restart: waiting on would be in vain.
            continue
        except NobodyThereError:
            await asyncio.sleep(PAUSE_S)
            await streams.ensure_consumer(consumer)
        if loop.time() >= deadline:
            return []


async def _pull(connection: NatsConnection, consumer: ConsumerSpec, batch: int, timeout_s: float) -> list[Msg]:
    """Ask once, and take what comes until the server says that this is all.

    `no_wait` together with `expires` does what is wanted in one request: the server sends what is there and ends with a
    404; when nothing is there it waits for the first message, and ends with a 408 when there was none.
    """
    loop = asyncio.get_running_loop()
    silent_at = loop.time() + timeout_s + TRY_S
    taken: list[Msg] = []
    request = {"batch": batch, "expires": int(timeout_s * NANOSECONDS), "no_wait": True}
    async with Inbox(connection) as inbox:
        try:
            subject = f"{PREFIX}CONSUMER.MSG.NEXT.{consumer.stream}.{consumer.durable}"
            await connection.send(subject, msgspec.json.encode(request), reply=inbox.subject)
            while len(taken) < batch:
                message = await inbox.next(SETTLE_S if taken else silent_at - loop.time())
                if message is None and not taken:
                    raise OutOfReachError(f"the bus at {connection.address} is silent: {consumer.durable} was asked")
                if message is None:
                    taken += [late for late in await inbox.rest() if late.reply]
                    break
                if message.reply:
                    taken.append(message)
                elif is_nobody(message) or _is_broken(message):
                    raise NobodyThereError(consumer.durable)
                else:
                    break
        except (AnswerLostError, NobodyThereError):
            if not taken:
                raise
        except asyncio.CancelledError:
            await _give_back(connection, taken + [late for late in await inbox.rest() if late.reply])
            raise
    return taken


def _is_broken(message: Msg) -> bool:
    """Say whether a pull ended for another reason than its time: the consumer was deleted, or its server goes away."""
    return (message.headers or {}).get("Status") not in ("404", "408")


async def _give_back(connection: NatsConnection, messages: list[Msg]) -> None:
    with contextlib.suppress(AnswerLostError):
        for message in messages:
            await connection.send(message.reply, NAK)
