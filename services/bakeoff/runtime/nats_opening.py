"""Making a client of nats-py that reconnects for ever, and saying at once when that is in vain."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
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
    user: str = ""
    """Instead of a token; empty for none."""
    password: str = ""
    authorities: str = ""
    """PEM file of the authorities of a server's certificate; empty means the system's."""

    @property
    def inbox(self) -> str:
        """Begin of the subjects on which answers come: a user's own, so that no other user may listen."""
        return f"_INBOX.{self.user}" if self.user else "_INBOX"

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
            user=login.user or None,
            password=login.password or None,
            tls=_tls(login),
            inbox_prefix=login.inbox.encode(),
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
        shown = f"user {login.user!r} or the password (BAKEOFF_NATS_PASSWORD)" if login.user else ""
        raise InvalidInputError(f"the bus at {login.address} refuses the {shown or 'token (BAKEOFF_NATS_TOKEN)'}")
    raise OutOfReachError(f"the bus at {login.address} does not answer: {last}")


def _tls(login: Login) -> ssl.SSLContext | None:
    """Return how certificates are checked; None when no address asks for TLS.

    Raises:
        InvalidInputError: the file of the authorities cannot be read.
    """
    if not login.authorities and not any(server.startswith("tls://") for server in login.servers):
        return None
    try:
        return ssl.create_default_context(cafile=login.authorities or None)
    except OSError as error:
        raise InvalidInputError(f"BAKEOFF_NATS_CA: {login.authorities!r} cannot be used: {error}") from error


async def close_client(client: Client) -> None:
    """Flush and disconnect; takes no longer than twice two seconds."""
    if client.is_connected:
        with contextlib.suppress(nats.errors.Error, TimeoutError, OSError):
            await client.flush(timeout=CLOSE_S)
    with contextlib.suppress(nats.errors.Error, TimeoutError, OSError):
        await asyncio.wait_for(client.close(), CLOSE_S)
