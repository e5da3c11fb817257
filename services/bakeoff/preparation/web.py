"""One GET over http or https: redirects followed by hand, each hop checked, errors told by what to do about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import NewConnectionError

from bakeoff.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from bakeoff.domain.public_addresses import is_public
from bakeoff.preparation.addresses import check_address, check_host

MAX_REDIRECTS = 5
TIMEOUT = urllib3.Timeout(connect=10.0, read=60.0)  # a stalled server is given up; a slow one that sends is not
REDIRECTS = (301, 302, 303, 307, 308)
PASSING = (408, 425, 429, 500, 502, 503, 504)
"""Statuses that may be others in a moment."""


@dataclass(frozen=True, slots=True)
class Response:
    """The answer of a server, its body not yet read."""

    url: str
    """Where it came from, after redirects."""
    status: int
    """200, 206 or 416."""
    headers: Mapping[str, str]
    _body: urllib3.BaseHTTPResponse
    private: bool = False
    """Whether any hop on the way was inside a private network."""

    def pieces(self, size_bytes: int) -> Iterator[bytes]:
        """Yield the body in pieces.

        Raises:
            UnavailableError: the transfer broke off.
        """
        try:
            yield from self._body.stream(size_bytes, decode_content=False)
        except urllib3.exceptions.HTTPError as error:
            raise UnavailableError(f"{self.url!r}: the transfer broke off: {error}") from error


@contextmanager
def get(url: str, *, headers: Mapping[str, str], allow_private: bool) -> Iterator[Response]:
    """Ask for an address and give the answer, closed afterwards.

    Args:
        url: http or https.
        headers: Sent along, to every hop.
        allow_private: Whether hosts inside private networks may be asked.

    Raises:
        NotFoundError: 404 or 410.
        InvalidInputError: any other refusal that will not pass, too many redirects, or a private address.
        UnavailableError: the server does not answer now, or says so.
    """
    start = url
    peers: list[str] = []
    for _ in range(MAX_REDIRECTS + 1):
        body = _ask(url, headers, allow_private, peers)
        try:
            location = body.headers.get("Location")
            if body.status not in REDIRECTS or not location:
                _refuse(url, body.status)
                yield Response(url, body.status, body.headers, body, not all(map(is_public, peers)))
                return
        finally:
            body.close()
        url = urljoin(url, location)
    raise InvalidInputError(f"{start!r} redirects more than {MAX_REDIRECTS} times, last to {url!r}")


def _ask(url: str, headers: Mapping[str, str], allow_private: bool, peers: list[str]) -> urllib3.BaseHTTPResponse:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidInputError(f"{url!r} is no http or https address")
    if not allow_private:
        check_host(url)
    secure = parts.scheme == "https"
    pool_kind = urllib3.HTTPSConnectionPool if secure else urllib3.HTTPConnectionPool
    pool = pool_kind(parts.hostname, parts.port, timeout=TIMEOUT, retries=False)
    # A name may resolve to something else when it is asked for again: what counts is who was connected to.
    pool.ConnectionCls = _guarded(url, secure, allow_private, peers)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        return pool.urlopen(
            "GET",
            target,
            headers={"Accept-Encoding": "identity", "User-Agent": "bakeoff", **headers},
            redirect=False,
            preload_content=False,
        )
    except urllib3.exceptions.HTTPError as error:
        # The library begins with its connection, whose class is an affair of this module.
        words = str(error).removeprefix(f"{error.conn}: ") if isinstance(error, NewConnectionError) else str(error)
        raise UnavailableError(f"{url!r} does not answer: {words}") from error


def _guarded(url: str, secure: bool, allow_private: bool, peers: list[str]) -> type[HTTPConnection]:
    kind = HTTPSConnection if secure else HTTPConnection

    class Guarded(kind):  # type: ignore[misc, valid-type]  # chosen by the scheme
        def connect(self) -> None:
            super().connect()
            peers.append(self.sock.getpeername()[0])
            if not allow_private:
                check_address(url, peers[-1])

    return Guarded


def _refuse(url: str, status: int) -> None:
    if status in (200, 206, 416):
        return
    message = f"{url!r} answers with status {status}"
    if status in (404, 410):
        raise NotFoundError(message)
    if status in PASSING:
        raise UnavailableError(message)
    raise InvalidInputError(message)
