"""What every answer of the dashboard carries, whom it answers, and errors as pages."""

from __future__ import annotations

import ipaddress

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware

from bakeoff.dashboard.render import render
from bakeoff.domain.errors import (
    BakeoffError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    UnauthenticatedError,
    UnavailableError,
)
from bakeoff.runtime import logs

PAGES = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""What the dashboard's own pages may load and do."""
REPORT = (
    "sandbox allow-scripts allow-popups; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; frame-ancestors 'none'"
)
"""A report is one file with its script inside; it runs as of no origin, and cannot ask the dashboard for anything."""
FILE = "sandbox; default-src 'none'; frame-ancestors 'none'"
"""Documents and other files are for saving."""
HEADERS = {
    "Content-Security-Policy": PAGES,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STATUSES: tuple[tuple[type[BakeoffError], int, str], ...] = (
    (NotFoundError, 404, "There is nothing here"),
    (InvalidInputError, 400, "That cannot be shown"),
    (UnauthenticatedError, 502, "The platform wants a token"),
    (ForbiddenError, 502, "The dashboard's token does not allow this"),
    (UnavailableError, 503, "The platform does not answer"),
)
"""The last three are faults of how the dashboard was started, or of the platform, not of who looks at it."""
log = logs.get("dashboard")


def is_loopback(host: str) -> bool:
    """Return whether a host name or address means this machine alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def make_guard(*, loopback: bool) -> Middleware:
    """Return the middleware.

    Args:
        loopback: Whether only requests for this machine's own names are answered: otherwise any web site could have its
            name point here and read what the browser is shown.
    """

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if loopback and not is_loopback(_name(request.headers.get(hdrs.HOST, ""))):
            return page_of("Another name was expected", "Ask for this page by localhost or 127.0.0.1.", 421)
        try:
            return await handler(request)
        except BakeoffError as error:
            status, title = next((each[1:] for each in STATUSES if isinstance(error, each[0])), (502, "That failed"))
            return page_of(title, str(error), status)
        except web.HTTPException as error:
            return page_of(error.reason, "The address may be mistyped.", error.status)
        except Exception:
            log.exception("page failed", path=request.path)
            return page_of("That failed", "The dashboard's log says why.", 500)

    return guard


def page_of(title: str, reason: str, status: int) -> web.Response:
    """Return an error as a page."""
    text = render("error.html.j2", title=title, reason=reason)
    return web.Response(text=text, content_type="text/html", status=status, headers=HEADERS)


def _name(host: str) -> str:
    """Return the name in a Host header, without its port."""
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
