"""Storing a message exactly once, however often the answer gets lost."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Mapping

import msgspec

from bakeoff.domain.errors import OutOfReachError
from bakeoff.runtime import nats_reading
from bakeoff.runtime.nats_api import TOO_MANY_MESSAGES, WRONG_LAST_SEQUENCE, RefusedError
from bakeoff.runtime.nats_connection import PAUSE_S, NatsConnection

WRITE_ID = "Nats-Msg-Id"
"""Names one call: the server drops a repetition by it, and a fenced write is recognised by it as one's own."""
EXPECTED = "Nats-Expected-Last-Subject-Sequence"

_PROCESS = secrets.token_hex(8)
_WRITES = itertools.count(1)


async def store(
    connection: NatsConnection,
    stream: str,
    subject: str,
    data: bytes,
    *,
    headers: Mapping[str, str] | None = None,
    expected: int | None = None,
) -> int | None:
    """Store a message and return its sequence; None when the subject did not allow it.

    Args:
        connection: To the server.
        stream: That holds the subject.
        subject: On which it is published.
        data: The payload.
        headers: Sent along.
        expected: Sequence that the subject's last message must have, 0 for none; None for no condition.

    Raises:
        OutOfReachError: no clear answer came in time, or the server cannot store now.
        NobodyThereError: nobody listens on the subject.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + connection.patience_s
    write_id = f"{_PROCESS}-{next(_WRITES)}"
    sent = {**(headers or {}), WRITE_ID: write_id}
    if expected is not None:
        sent[EXPECTED] = str(expected)
    repeated = False
    while True:
        answer = await connection.ask(subject, data, sent)
        repeated = repeated or answer.repeated
        reply = msgspec.json.decode(answer.message.data)
        if "error" not in reply:
            return int(reply["seq"])
        refusal = RefusedError(reply["error"])
        if refusal.err_code in WRONG_LAST_SEQUENCE or is_taken(refusal):
            return await _own(connection, stream, subject, write_id) if repeated else None
        if refusal.code != 503 or loop.time() > deadline:
            raise OutOfReachError(f"the bus at {connection.address} cannot store a message on {subject}: {refusal}")
        await asyncio.sleep(PAUSE_S)


def is_taken(refusal: RefusedError) -> bool:
    """Say whether a stream refused because it keeps one message a subject, rather than because it is full."""
    return refusal.err_code == TOO_MANY_MESSAGES and "per subject" in refusal.description


async def _own(connection: NatsConnection, stream: str, subject: str, write_id: str) -> int | None:
    """Return the sequence of the subject's message if it is what an earlier try has written."""
    current = await nats_reading.last(connection, stream, subject)
    if current is None or current.headers.get(WRITE_ID) != write_id:
        return None
    return current.message.sequence
