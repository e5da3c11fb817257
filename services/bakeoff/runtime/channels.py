"""The one place that opens channels of gRPC: with TLS, a token and balancing as the settings say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import grpc

from bakeoff.runtime.callers import ANYBODY, current
from bakeoff.runtime.envelope import TRACEPARENT
from bakeoff.runtime.guard import AUTHORIZATION, speaking_for
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.telemetry import spans
from bakeoff.runtime.tls import channel_credentials

OPTIONS: tuple[tuple[str, Any], ...] = (
    # Names of several addresses, as those of headless services, are spread over; the default stays with the first.
    ("grpc.lb_policy_name", "round_robin"),
    # Up to two minutes by default: far longer than a service takes to come back.
    ("grpc.max_reconnect_backoff_ms", 1000),
)
UNBOUNDED = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
"""Between services, whose servers are bounded."""
Metadata = list[tuple[str, Any]]


def open_channel(
    address: str, settings: Settings, options: tuple[tuple[str, Any], ...] | list[tuple[str, Any]] = ()
) -> grpc.Channel:
    """Return a channel for a client of the platform; it shows the token of the settings, if there is one.

    Args:
        address: host:port, or a name such as `dns:///name:port`.
        settings: TLS and token.
        options: More of gRPC's.

    Raises:
        InvalidInputError: a file of TLS cannot be read.
    """
    shown = settings.token
    return _with_metadata(_plain(address, settings, options), lambda: bearer(shown) if shown else [])


def open_async_channel(
    address: str, settings: Settings, options: tuple[tuple[str, Any], ...] | list[tuple[str, Any]] = ()
) -> Any:
    """Return a `grpc.aio.Channel` for a client of the platform; calls bring the `bearer` of its token themselves.

    Raises:
        InvalidInputError: a file of TLS cannot be read.
    """
    credentials = channel_credentials(settings)
    every = [*OPTIONS, *options]
    if credentials is None:
        return grpc.aio.insecure_channel(address, every)
    return grpc.aio.secure_channel(address, credentials, every)


def open_peer(address: str, settings: Settings) -> grpc.Channel:
    """Return a channel for a service that calls another, as itself or for whoever calls it.

    Raises:
        InvalidInputError: a file of TLS cannot be read.
    """
    return _with_metadata(_plain(address, settings, UNBOUNDED), lambda: peer_metadata(settings))


def open_async_peer(address: str, settings: Settings) -> Any:
    """Return a `grpc.aio.Channel` between services; calls bring `peer_metadata` themselves.

    Raises:
        InvalidInputError: a file of TLS cannot be read.
    """
    return open_async_channel(address, settings, UNBOUNDED)


def peer_metadata(settings: Settings) -> Metadata:
    """Return what a service shows another: the services' token, and for whom it calls, if for anybody."""
    if not settings.service_token:
        return []
    caller = current()
    return bearer(settings.service_token) + ([] if caller is ANYBODY else speaking_for(caller))


def bearer(token: str) -> Metadata:
    """Return the metadata that show a token."""
    return [(AUTHORIZATION, f"Bearer {token}")]


def _plain(address: str, settings: Settings, options: Any) -> grpc.Channel:
    credentials = channel_credentials(settings)
    every = [*OPTIONS, *options]
    if credentials is None:
        return grpc.insecure_channel(address, every)
    return grpc.secure_channel(address, credentials, every)


def _with_metadata(channel: grpc.Channel, metadata: Callable[[], Metadata]) -> grpc.Channel:
    return grpc.intercept_channel(channel, _Shown(metadata))


class _Details(NamedTuple):
    method: str
    timeout: float | None
    metadata: Metadata
    credentials: Any
    wait_for_ready: bool | None
    compression: Any


class _CallDetails(_Details, grpc.ClientCallDetails):  # type: ignore[misc]  # as gRPC's own examples do it
    """A call with other metadata."""


class _Shown(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamUnaryClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    """Adds metadata to every call."""

    def __init__(self, metadata: Callable[[], Metadata]) -> None:
        self._metadata = metadata

    def _go(self, continuation: Any, details: Any, request: Any) -> Any:
        added = [*(details.metadata or ()), *self._metadata()]
        if trace := spans.current():
            added.append((TRACEPARENT, trace))
        return continuation(
            _CallDetails(
                details.method,
                details.timeout,
                added,
                details.credentials,
                getattr(details, "wait_for_ready", None),
                getattr(details, "compression", None),
            ),
            request,
        )

    intercept_unary_unary = _go  # type: ignore[assignment]  # one for all four kinds
    intercept_unary_stream = _go  # type: ignore[assignment]  # one for all four kinds
    intercept_stream_unary = _go  # type: ignore[assignment]  # one for all four kinds
    intercept_stream_stream = _go  # type: ignore[assignment]  # one for all four kinds
