"""Who can reach a server, and whether it may be open to all of them."""

from __future__ import annotations

import ipaddress

from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime import logs
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.tokens import Tokens

log = logs.get("guard")


def check_openness(listen: str, tokens: Tokens, settings: Settings) -> None:
    """Refuse to serve other machines without asking for tokens, unless the operator wants that; then say it loudly.

    Args:
        listen: host:port of the server.
        tokens: Whom it lets in.
        settings: Whether anybody may come.

    Raises:
        InvalidInputError: the address is not of this machine alone and nothing asks for tokens, or services could not
            call each other.
    """
    if tokens.asked:
        if not settings.service_token:
            raise InvalidInputError("BAKEOFF_TOKENS_FILE needs BAKEOFF_SERVICE_TOKEN, too: services show it each other")
        return
    if is_loopback(listen):
        return
    if not settings.allow_anonymous:
        raise InvalidInputError(
            f"{listen!r} can be reached from other machines, and nothing asks who calls: set BAKEOFF_TOKENS_FILE and "
            "BAKEOFF_SERVICE_TOKEN (`bakeoff credentials` makes both), or BAKEOFF_ALLOW_ANONYMOUS=true"
        )
    log.warning("open to everybody: no token is asked for", listen=listen)


def is_loopback(listen: str) -> bool:
    """Return whether a server's address is reached from its own machine alone."""
    host = listen.rpartition(":")[0].strip("[]")
    if host == "localhost" or listen.startswith("unix:"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
