"""Storing a message exactly once, however often the answer gets lost."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Mapping
from typing import Any

import msgspec

from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime import nats_leader
from bakeoff.runtime.nats_answers import NobodyThereError
from bakeoff.runtime.nats_api import TOO_MANY_MESSAGES, WRONG_LAST_SEQUENCE, RefusedError
from bakeoff.runtime.nats_connection import PAUSE_S, NatsConnection
from bakeoff.runtime.nats_streams import NatsStreams

WRITE_ID = "Nats-Msg-Id"
"""Names one call: the server drops a repetition by it, and a fenced write is recognised by it as one's own."""
IN_FLIGHT = 128  # writes on their way at once; more than 256 bring no speed
EXPECTED = "Nats-Expected-Last-Subject-Sequence"

_PROCESS = secrets.token_hex(8)
_WRITES = itertools.count(1)


class NatsPublisher:
    """Stores messages in the streams of a server."""

    def __init__(self, connection: NatsConnection, streams: NatsStreams) -> None:
        """Work on a server."""
        self._connection = connection
        self._streams = streams
        self._room = asyncio.Semaphore(IN_FLIGHT)

    async def store(
        self, subject: str, data: bytes, *, headers: Mapping[str, str] | None = None, expected: int | None = None
    ) -> int | None:
        """Store a message and return its sequence; None when the subject did not allow it.

        Args:
            subject: On which it is published.
            data: The payload.
            headers: Sent along.
            expected: Sequence that the subject's last message must have, 0 for none; None for no condition.

        Raises:
            OutOfReachError: no clear answer came in time, or the server cannot store now.
            InvalidInputError: no stream holds the subject.
        """
        write_id = f"{_PROCESS}-{next(_WRITES)}"
        sent = {**(headers or {}), WRITE_ID: write_id}
        if expected is not None:
            sent[EXPECTED] = str(expected)
        async with self._room:
            reply, repeated = await self._until_clear(subject, data, sent)
            if "error" not in reply:
                return int(reply["seq"])
            return await self._own(subject, write_id) if repeated else None

    async def _until_clear(self, subject: str, data: bytes, headers: Mapping[str, str]) -> tuple[dict[str, Any], bool]:
        """Return the server's word that it stored a message or will not, and whether an earlier try got no answer."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._connection.patience_s
        repeated = False
        while True:
            try:
                answer = await self._connection.ask(subject, data, headers)
            except NobodyThereError:
                if not await self._streams.exists(subject):
                    raise InvalidInputError(f"no stream of the bus holds the subject {subject!r}") from None
                trouble = "its stream is not ready"
            else:
                repeated = repeated or answer.repeated
                reply: dict[str, Any] = msgspec.json.decode(answer.message.data)
                refusal = RefusedError(reply.get("error", {}))
                if "error" not in reply or is_fenced(refusal):
                    return reply, repeated
                trouble = str(refusal)
                if not refusal.passing:
                    deadline = loop.time()
            if loop.time() >= deadline:
                raise OutOfReachError(
                    f"the bus at {self._connection.address} cannot store a message on {subject}: {trouble}"
                )
            await asyncio.sleep(PAUSE_S)

    async def _own(self, subject: str, write_id: str) -> int | None:
        """Return the sequence of the subject's message if it is what an earlier try has written."""
        current = await nats_leader.last(self._connection, await self._streams.of(subject), subject)
        if current is None or current.headers.get(WRITE_ID) != write_id:
            return None
        return current.message.sequence


def is_fenced(refusal: RefusedError) -> bool:
    """Say whether a stream refused because of what the subject holds, rather than because it is full."""
    if refusal.err_code == TOO_MANY_MESSAGES:
        return "per subject" in refusal.description
    return refusal.err_code in WRONG_LAST_SEQUENCE
