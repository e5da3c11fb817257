"""TLS of gRPC: what this process shows, and whom it believes."""

from __future__ import annotations

from pathlib import Path

import grpc

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.runtime.settings import Settings


def server_credentials(settings: Settings) -> grpc.ServerCredentials | None:
    """Return the credentials of a server; None when no certificate is set: it then speaks without TLS.

    Raises:
        InvalidInputError: a file cannot be read, or one is set without the other.
    """
    if not settings.tls_certificate and not settings.tls_key:
        if settings.tls_clients:
            raise InvalidInputError(
                "BAKEOFF_TLS_CLIENTS needs BAKEOFF_TLS_CERTIFICATE, BAKEOFF_TLS_KEY, BAKEOFF_TLS_CA"
            )
        return None
    key, certificate = _pair(settings)
    if settings.tls_clients and not settings.tls_ca:
        raise InvalidInputError("BAKEOFF_TLS_CLIENTS needs BAKEOFF_TLS_CA: whose certificates clients must show")
    authorities = _read("BAKEOFF_TLS_CA", settings.tls_ca) if settings.tls_clients else None
    return grpc.ssl_server_credentials(
        [(key, certificate)], root_certificates=authorities, require_client_auth=settings.tls_clients
    )


def channel_credentials(settings: Settings) -> grpc.ChannelCredentials | None:
    """Return the credentials of a channel; None when nothing asks for TLS.

    Raises:
        InvalidInputError: a file cannot be read, or one is set without the other.
    """
    if not settings.tls and not settings.tls_ca:
        return None
    key, certificate = _pair(settings) if settings.tls_certificate or settings.tls_key else (None, None)
    authorities = _read("BAKEOFF_TLS_CA", settings.tls_ca) if settings.tls_ca else None
    return grpc.ssl_channel_credentials(authorities, private_key=key, certificate_chain=certificate)


def _pair(settings: Settings) -> tuple[bytes, bytes]:
    files = {"BAKEOFF_TLS_KEY": settings.tls_key, "BAKEOFF_TLS_CERTIFICATE": settings.tls_certificate}
    lacking = [name for name, path in files.items() if not path]
    if lacking:
        raise InvalidInputError(f"{lacking[0]} is not set: a key and its certificate go together")
    key, certificate = (_read(name, path) for name, path in files.items())
    return key, certificate


def _read(variable: str, path: str) -> bytes:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        problem = f"the file {path!r} cannot be read: {error.strerror}"
        raise InvalidInputError("TLS cannot be set up", [Violation(variable, problem)]) from error
    if b"-----BEGIN" not in data:
        raise InvalidInputError("TLS cannot be set up", [Violation(variable, f"the file {path!r} is no PEM")])
    return data
