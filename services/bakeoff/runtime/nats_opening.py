"""Making a client of nats-py that reconnects for ever, and saying at once when that is in vain."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import nats.errors
from nats.aio.client import Client

from bakeoff.domain.errors import InvalidInputError, OutOfReachError

CONNECT_S = 2
RECONNECT_S = 0.2  # a restarted server is there within a tenth of a second
PING_S = 5  # with two unanswered pings allowed, a frozen server is noticed after 15 s
CLOSE_S = 2
REFUSED = "authorization violation"


@dataclass(frozen=True, slots=True)
class Login:
    """Where to connect to, and as whom."""

    servers: tuple[str, ...]
    """`nats://host:port` each."""
    token: str
    """What the server wants to see; empty for none."""
    name: str

    @property
    def address(self) -> str:
        """Where the servers are, without credentials."""
        return ", ".join(urlsplit(server).netloc.rpartition("@")[2] or server for server in self.servers)


@dataclass(frozen=True, slots=True)
class Hooks:
    """What is called when something happens to a client."""

    trouble: Callable[[str], None]
    """An error, which need not be the end."""
    lost: Callable[[Client], None]
    back: Callable[[Client], None]
    gave_up: Callable[[Client], None]
    """The client is closed and will not come back by itself, as after some errors of the server."""


async def open_client(login: Login, hooks: Hooks, patience_s: float) -> Client:
    """Connect, trying again until the patience is at its end.

    Raises:
        OutOfReachError: nobody answers; the message has the address.
        InvalidInputError: the server refuses the token, or the address is none.
    """
    client = Client()
    refused: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    last = "nothing listens there"

    async def on_error(error: Exception) -> None:
        nonlocal last
        last = str(error) or type(error).__name__
        hooks.trouble(last)
        if REFUSED in last.lower() and not refused.done():
            refused.set_result(None)

    async def on_disconnected() -> None:
        hooks.lost(client)

    async def on_reconnected() -> None:
        hooks.back(client)

    async def on_closed() -> None:
        hooks.gave_up(client)

    connecting = asyncio.ensure_future(
        client.connect(
            list(login.servers),
            name=login.name,
            token=login.token or None,
            error_cb=on_error,
            disconnected_cb=on_disconnected,
            reconnected_cb=on_reconnected,
            closed_cb=on_closed,
            connect_timeout=CONNECT_S,
            reconnect_time_wait=RECONNECT_S,  # type: ignore[arg-type]  # a fraction does as well
            max_reconnect_attempts=-1,
            ping_interval=PING_S,
            max_outstanding_pings=2,
            pending_size=0,  # no buffering while disconnected: what was given up must not arrive later
        )
    )
    try:
        await asyncio.wait({connecting, refused}, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        connecting.cancel()  # no effect on one that is done
    outcome = (await asyncio.gather(connecting, return_exceptions=True))[0]
    if outcome is None:
        return client
    if isinstance(outcome, nats.errors.Error | ValueError):
        raise InvalidInputError(f"{login.address!r} is no address of a bus: {outcome}")
    await close_client(client)
    if refused.done():
        raise InvalidInputError(f"the bus at {login.address} refuses the token (BAKEOFF_NATS_TOKEN)")
    raise OutOfReachError(f"the bus at {login.address} does not answer: {last}")


async def close_client(client: Client) -> None:
    """Flush and disconnect; takes no longer than twice two seconds."""
    if client.is_connected:
        with contextlib.suppress(nats.errors.Error, TimeoutError, OSError):
            await client.flush(timeout=CLOSE_S)
    with contextlib.suppress(nats.errors.Error, TimeoutError, OSError):
        await asyncio.wait_for(client.close(), CLOSE_S)
