"""Which network addresses a download may go to: a benchmark's address must not open the private network."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from bakeoff.domain.errors import InvalidInputError, UnavailableError
from bakeoff.domain.public_addresses import is_public


def check_host(url: str) -> None:
    """Refuse an address whose host is, or resolves to, anything inside a private network.

    Raises:
        InvalidInputError: so it is; names host and address.
        UnavailableError: the host's name cannot be resolved now.
    """
    parts = urlsplit(url)
    host = parts.hostname
    if not host:
        raise InvalidInputError(f"{url!r} names no host")
    try:
        found = socket.getaddrinfo(host, parts.port or 443, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise UnavailableError(f"{url!r}: the host {host!r} cannot be resolved: {error}") from error
    for *_, address in found:
        check_address(url, str(address[0]))


def check_address(url: str, text: str) -> None:
    """Refuse an IP address that is not a public one.

    Args:
        url: For the message.
        text: The address, perhaps with a zone such as `%eth0`.

    Raises:
        InvalidInputError: it is loopback, link-local, private, reserved, multicast or unspecified.
    """
    if not is_public(text):
        raise InvalidInputError(
            f"{url!r} leads to {text}, which is no public address; "
            "set BAKEOFF_ALLOW_PRIVATE_ADDRESSES=true to allow downloads from inside the network"
        )
