"""Following a stream for ever, without a gap, whatever happens to the server."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator

import msgspec

from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime import logs
from bakeoff.runtime.bus import Message
from bakeoff.runtime.nats_answers import AnswerLostError
from bakeoff.runtime.nats_api import PREFIX, RefusedError, call
from bakeoff.runtime.nats_connection import PAUSE_S, TRY_S, NatsConnection
from bakeoff.runtime.nats_inbox import Inbox
from bakeoff.runtime.nats_reading import own_headers
from bakeoff.runtime.nats_streams import NANOSECONDS

BATCH = 256
PULL_S = 5.0
PULL_ENDED = "408"
FORGOTTEN_S = 30.0
"""Time after which the server removes the consumer of a follower that is gone."""

log = logs.get("bus")


async def follow(
    connection: NatsConnection, stream: str, filter: str, after: int | None
) -> AsyncGenerator[Message, None]:
    """Yield messages as they come.

    A consumer that the server keeps in memory only is read by pulls; at any doubt (connection lost, pull unanswered,
    number missing) a new one is made that starts after the last message seen.

    Args:
        connection: To the server.
        stream: What is followed.
        filter: Which of its messages.
        after: Sequence after which to start; None means with what comes from now on.

    Raises:
        InvalidInputError: the stream does not exist.
        OutOfReachError: the server does not answer at the start, or the connection was closed; otherwise it is waited
            for.
    """
    seen = after
    made = ""
    started = False
    while True:
        name = f"follow-{secrets.token_hex(8)}"
        try:
            known, (made, newest) = made, await _made(connection, stream)
            if seen is None:
                seen = newest
            elif made != known if known else newest < seen:
                seen = 0  # the stream was made anew, and counts from 1 again
            await _create(connection, stream, name, filter, seen + 1)
            if (await _made(connection, stream))[0] != made:
                raise AnswerLostError
            started = True
            async with contextlib.aclosing(_read(connection, stream, name)) as messages:
                async for message in messages:
                    # A leader that has just come may be behind, and then begins before what was asked for.
                    if message.sequence > seen:
                        seen = message.sequence
                        yield message
        except AnswerLostError:
            log.info("follower starts anew", stream=stream, filter=filter, after=seen)
        except RefusedError as error:
            if not started:
                raise InvalidInputError(f"{filter!r} of the stream {stream} cannot be followed: {error}") from error
            log.warning("follower waits for its stream", stream=stream, reason=str(error))
        except OutOfReachError as error:
            if not started or connection.closed:
                raise
            log.warning("follower waits for the bus", stream=stream, reason=str(error))
        finally:
            await _delete(connection, stream, name)
        await asyncio.sleep(PAUSE_S)


async def _made(connection: NatsConnection, stream: str) -> tuple[str, int]:
    """Return when a stream was made, which no other of its name shares, and the sequence of its newest message."""
    info = await call(connection, f"STREAM.INFO.{stream}")
    return str(info["created"]), int(info["state"]["last_seq"])


async def _create(connection: NatsConnection, stream: str, name: str, filter: str, start: int) -> None:
    config = {
        "name": name,
        "filter_subject": filter,
        "deliver_policy": "by_start_sequence",
        "opt_start_seq": start,
        "ack_policy": "none",
        "replay_policy": "instant",
        "inactive_threshold": int(FORGOTTEN_S * NANOSECONDS),
        "mem_storage": True,
        "num_replicas": 1,
    }
    await call(connection, f"CONSUMER.CREATE.{stream}.{name}.{filter}", {"stream_name": stream, "config": config})


async def _read(connection: NatsConnection, stream: str, name: str) -> AsyncGenerator[Message, None]:
    """Yield what a new consumer delivers.

    Raises:
        AnswerLostError: something may be missing from here on.
    """
    request = msgspec.json.encode({"batch": BATCH, "expires": int(PULL_S * NANOSECONDS)})
    delivered = 0
    async with Inbox(connection) as inbox:
        while True:
            await connection.send(f"{PREFIX}CONSUMER.MSG.NEXT.{stream}.{name}", request, reply=inbox.subject)
            for _ in range(BATCH):
                message = await inbox.next(PULL_S + TRY_S)
                if message is None:
                    raise AnswerLostError
                if not message.reply:
                    if (message.headers or {}).get("Status") != PULL_ENDED:
                        raise AnswerLostError
                    break
                metadata = message.metadata
                delivered += 1
                if metadata.sequence.consumer != delivered:
                    raise AnswerLostError
                yield Message(message.subject, message.data, metadata.sequence.stream, own_headers(message.headers))


async def _delete(connection: NatsConnection, stream: str, name: str) -> None:
    """Ask for the removal of a consumer, without waiting; forgotten ones are removed in any case."""
    with contextlib.suppress(AnswerLostError):
        await connection.send(f"{PREFIX}CONSUMER.DELETE.{stream}.{name}", b"", reply=f"{connection.inbox}.{name}")
