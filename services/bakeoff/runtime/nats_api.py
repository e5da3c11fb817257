"""Requests to JetStream's own interface, and its refusals."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime.nats_connection import PAUSE_S, NatsConnection

PREFIX = "$JS.API."
UNAVAILABLE = 503
"""Code of refusals that may pass."""
PASSING = (10005, 10009, 10041, 10118, 10119, 10158, 10164)
"""Refusals with other codes that may pass as well, all of clusters: too few servers are there, another one leads, no
majority, a stream or a consumer that nobody leads, and a write to the subject that is on its way but not yet agreed on:
one's own, or somebody's."""
WRONG_LAST_SEQUENCE = (10071,)
TOO_MANY_MESSAGES = 10077
"""Both "maximum messages exceeded" and "maximum messages per subject exceeded": only the description says which."""
STREAM_MISSING = 10059
NAME_TAKEN = 10058
"""A stream of that name has another configuration."""
MESSAGE_MISSING = (10037, 10043, 10057)
"""No message has the sequence; which of them depends on the operation and the kind of stream."""


class RefusedError(Exception):
    """The server understood and said no."""

    def __init__(self, error: Mapping[str, Any], *, repeated: bool = False) -> None:
        """Keep what the server said.

        Args:
            error: Its `code`, `err_code` and `description`.
            repeated: Whether an earlier try, whose answer was lost, may have succeeded.
        """
        self.code = int(error.get("code", 0))
        self.err_code = int(error.get("err_code", 0))
        self.description = str(error.get("description", ""))
        self.repeated = repeated
        super().__init__(f"{self.description} (code {self.code}, {self.err_code})")

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self.code == UNAVAILABLE or self.err_code in PASSING


async def call(connection: NatsConnection, operation: str, request: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Ask JetStream for something, again while it is not ready.

    Args:
        connection: To the server.
        operation: Such as `STREAM.INFO.TASKS`.
        request: Its fields; None for none.

    Raises:
        RefusedError: it says no.
        OutOfReachError: it does not answer, or is not ready for longer than the connection's patience.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + connection.patience_s
    data = msgspec.json.encode(request) if request is not None else b""
    while True:
        answer = await connection.ask(PREFIX + operation, data, somebody=True)
        reply: dict[str, Any] = msgspec.json.decode(answer.message.data)
        error = reply.get("error")
        if not error:
            return reply
        refusal = RefusedError(error, repeated=answer.repeated)
        if not refusal.passing:
            raise refusal
        if loop.time() > deadline:
            raise OutOfReachError(f"the bus at {connection.address} is not ready: {refusal}")
        await asyncio.sleep(PAUSE_S)


async def delete(connection: NatsConnection, stream: str, sequence: int) -> bool:
    """Delete one message of a stream; return False when it was gone.

    When the answer to the first try was lost, what is gone counts as deleted by that.

    Raises:
        InvalidInputError: the stream allows no deleting.
    """
    try:
        await call(connection, f"STREAM.MSG.DELETE.{stream}", {"seq": sequence})
    except RefusedError as error:
        if error.err_code not in MESSAGE_MISSING:
            raise InvalidInputError(f"message {sequence} of {stream} cannot be removed: {error}") from error
        return error.repeated
    return True
