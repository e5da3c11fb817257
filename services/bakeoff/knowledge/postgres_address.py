"""The address of a PostgreSQL server, as operators write it."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from bakeoff.domain.errors import InvalidInputError

SETTING = "BAKEOFF_POSTGRES_URL"
PORT = 5432
MODES = ("disable", "require", "verify-full")
KNOWN = ("host", "sslmode", "sslrootcert")


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """Where a server is and how it is spoken to."""

    host: str
    """Empty when it is reached by a socket of this machine."""
    port: int
    database: str
    user: str
    password: str = field(repr=False)
    socket: str = ""
    """Path of the socket; empty when it is reached by host and port."""
    mode: str = "verify-full"
    """disable: no TLS; require: TLS with whoever answers; verify-full: TLS with the host that is named."""
    authorities: str = ""
    """PEM file of the authorities of its certificate; empty means the system's."""

    def __str__(self) -> str:
        """Print without user and password."""
        return f"{self.socket or f'{self.host}:{self.port}'}/{self.database}"

    def tls(self) -> ssl.SSLContext | bool:
        """Return the context of its TLS; False for none.

        Raises:
            InvalidInputError: the file of the authorities cannot be read.
        """
        if self.socket or self.mode == "disable":
            return False
        try:
            context = ssl.create_default_context(cafile=self.authorities or None)
        except OSError as error:  # SSLError, for a file without certificates, is one
            raise InvalidInputError(
                f"{SETTING}: {self.authorities!r}, which sslrootcert names, holds no certificates"
            ) from error
        if self.mode == "require":
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context


def postgres_address(url: str) -> PostgresAddress:
    """Read `postgresql://user:password@host:port/database?sslmode=…&sslrootcert=…`.

    Without `sslmode` a certificate is asked for and checked, but on this machine (a loopback address or a socket, which
    `host=/folder` names as for libpq) there is no TLS.

    Raises:
        InvalidInputError: it is none, or has what is not known; the message shows no password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or PORT
    except ValueError:
        raise InvalidInputError(f"{SETTING} is no URL, or its port no number") from None
    if parts.scheme not in ("postgresql", "postgres"):
        raise InvalidInputError(f"{SETTING} must begin with postgresql://, not {parts.scheme!r}")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(options) - set(KNOWN))
    if unknown:
        raise InvalidInputError(f"{SETTING} has the option {unknown[0]!r}; known: {', '.join(KNOWN)}")
    folder, host = options.get("host", ""), unquote(parts.hostname or "")
    if folder and not folder.startswith("/"):
        raise InvalidInputError(f"{SETTING}: the option host must be the folder of a socket, not {folder!r}")
    if not (folder or host):
        raise InvalidInputError(f"{SETTING} names no host")
    database = unquote(parts.path.lstrip("/"))
    if not (database and parts.username):
        raise InvalidInputError(f"{SETTING} names no {'user' if database else 'database'}")
    here = bool(folder) or host in ("localhost", "127.0.0.1", "::1")
    mode = options.get("sslmode") or ("disable" if here else "verify-full")
    if mode not in MODES:
        raise InvalidInputError(f"{SETTING}: sslmode must be {', '.join(MODES)}, not {mode!r}")
    authorities = options.get("sslrootcert", "")
    if authorities and not Path(authorities).is_file():
        raise InvalidInputError(f"{SETTING}: there is no file {authorities!r}, which sslrootcert names")
    return PostgresAddress(
        host,
        port,
        database,
        unquote(parts.username),
        unquote(parts.password or ""),
        f"{folder}/.s.PGSQL.{port}" if folder else "",
        mode,
        authorities,
    )
