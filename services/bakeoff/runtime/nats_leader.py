"""Reading one message as the leader of its stream has it, where a copy that is behind would mislead."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from typing import Any

from bakeoff.runtime.bus import Message
from bakeoff.runtime.nats_api import MESSAGE_MISSING, STREAM_MISSING, RefusedError, call
from bakeoff.runtime.nats_connection import PAUSE_S, NatsConnection
from bakeoff.runtime.nats_reading import Stored, own_headers

BEHIND_S = 2.0
"""How long a leader may need that has just come and has not yet applied all that was agreed on."""


async def last(connection: NatsConnection, stream: str, subject: str) -> Stored | None:
    """Return the last kept message of a subject; None when there is none."""
    return await _message(connection, stream, {"last_by_subj": subject})


async def at(connection: NatsConnection, stream: str, sequence: int) -> Stored | None:
    """Return the message with a sequence that was given out; None when it is gone, or the stream was made anew."""
    for _ in range(int(BEHIND_S / PAUSE_S)):
        if await _newest(connection, stream) >= sequence:
            break
        await asyncio.sleep(PAUSE_S)
    return await _message(connection, stream, {"seq": sequence})


async def _newest(connection: NatsConnection, stream: str) -> int:
    try:
        info = await call(connection, f"STREAM.INFO.{stream}")
    except RefusedError as error:
        if error.err_code != STREAM_MISSING:
            raise
        return 0
    return int(info["state"]["last_seq"])


async def _message(connection: NatsConnection, stream: str, query: Mapping[str, Any]) -> Stored | None:
    try:
        found = (await call(connection, f"STREAM.MSG.GET.{stream}", query))["message"]
    except RefusedError as error:
        if error.err_code not in (*MESSAGE_MISSING, STREAM_MISSING):
            raise
        return None
    headers = _headers(base64.b64decode(found.get("hdrs", "")))
    data = base64.b64decode(found.get("data", ""))
    return Stored(Message(found["subject"], data, int(found["seq"]), own_headers(headers)), headers)


def _headers(block: bytes) -> dict[str, str]:
    """Return the headers of a block such as `NATS/1.0`, then one of them a line."""
    lines = (line.partition(":") for line in block.decode().split("\r\n")[1:] if line)
    return {name: value.strip() for name, _, value in lines}
