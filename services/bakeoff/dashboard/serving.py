"""Serving the dashboard until it is stopped."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from bakeoff.dashboard.app import make_app
from bakeoff.dashboard.guarding import is_loopback
from bakeoff.dashboard.platform import Platform
from bakeoff.domain.errors import InvalidInputError

STOP_S = 1.0  # browsers that follow something would hold the server for ever


@asynccontextmanager
async def serving(platform: Platform, host: str, port: int) -> AsyncIterator[str]:
    """Serve while the block lasts, and give the address of the first page.

    Args:
        platform: Where evaluations are.
        host: Name or address to listen on.
        port: 0 takes a free one.

    Raises:
        InvalidInputError: it cannot be listened on.
    """
    app = make_app(platform, loopback=is_loopback(host))
    # A browser that went away is followed no longer.
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=STOP_S, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise InvalidInputError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()
