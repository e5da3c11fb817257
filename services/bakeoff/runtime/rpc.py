"""gRPC for every service: errors by one table, health, reflection, limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from grpc_status import rpc_status

from bakeoff.domain.errors import (
    CancelledItemError,
    DigestMismatchError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    UnauthenticatedError,
    UnavailableError,
    Violation,
)
from bakeoff.runtime import logs
from bakeoff.runtime.guard import Guard
from bakeoff.runtime.rpc_wrapping import Single, Streaming, parsing, wrapped
from bakeoff.runtime.telemetry.serving import TracingInterceptor
from bakeoff.runtime.tokens import Tokens

MAX_MESSAGE_BYTES = 64 << 20
"""A batch of a hundred answers with their passages fits; what does not is streamed."""
OPTIONS = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),  # two servers on one port would share calls at random
]
LIVE = "bakeoff.live"
"""Health of the process itself, whatever it can reach: a supervisor that restarts on it mends nothing else by it."""
CODES: tuple[tuple[type[Exception], Any], ...] = (
    (InvalidInputError, code_pb2.INVALID_ARGUMENT),
    (NotFoundError, code_pb2.NOT_FOUND),
    (UnavailableError, code_pb2.UNAVAILABLE),
    (UnauthenticatedError, code_pb2.UNAUTHENTICATED),
    (ForbiddenError, code_pb2.PERMISSION_DENIED),
    (CancelledItemError, code_pb2.CANCELLED),
    (DigestMismatchError, code_pb2.DATA_LOSS),
)
"""Error classes and the status each is told as; any other is INTERNAL, without its words."""

log = logs.get("rpc")


def status_of(error: Exception) -> status_pb2.Status:
    """Return the rich status of an error: violations of an InvalidInputError become a BadRequest detail."""
    for kind, code in CODES:
        if isinstance(error, kind):
            message = error.message if isinstance(error, InvalidInputError) else str(error)
            return status_pb2.Status(code=code, message=message, details=_details(error))
    return status_pb2.Status(code=code_pb2.INTERNAL, message="internal error; the server's log has it")


def _details(error: Exception) -> list[any_pb2.Any]:
    if not isinstance(error, InvalidInputError) or not error.violations:
        return []
    detail = any_pb2.Any()
    detail.Pack(
        error_details_pb2.BadRequest(
            field_violations=[
                error_details_pb2.BadRequest.FieldViolation(field=violation.field, description=violation.problem)
                for violation in error.violations
            ]
        )
    )
    return [detail]


def error_of(call: grpc.RpcError, what: str) -> Exception:
    """Return the domain error that a failed call tells of; the other direction of the table.

    Args:
        call: What a stub raised.
        what: What was called, for the message, such as `the control service at 127.0.0.1:7601`.
    """
    code, details = call.code(), call.details() or ""
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        return InvalidInputError(details, _violations(call))
    if code is grpc.StatusCode.NOT_FOUND:
        return NotFoundError(details)
    if code is grpc.StatusCode.UNAUTHENTICATED:
        return UnauthenticatedError(details)
    if code is grpc.StatusCode.PERMISSION_DENIED:
        return ForbiddenError(details)
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED):
        return UnavailableError(f"{what} does not answer: {details}")
    return RuntimeError(f"{what} failed with {code.name}: {details}")


def _violations(call: grpc.RpcError) -> list[Violation]:
    status = rpc_status.from_call(call)
    violations = []
    for detail in status.details if status else ():
        bad = error_details_pb2.BadRequest()
        if detail.Unpack(bad):
            violations += [Violation(each.field, each.description) for each in bad.field_violations]
    return violations


class ErrorInterceptor(grpc.aio.ServerInterceptor):
    """Turns what a servicer raises into the status of the table."""

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any) -> Any:
        """Wrap the handler of a call, whichever of the four kinds it is."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        method = handler_call_details.method
        return wrapped(parsing(handler), lambda inner: _single(inner, method), lambda inner: _streaming(inner, method))


def _single(inner: Single, method: str) -> Single:
    async def call(request: Any, context: Any) -> Any:
        try:
            return await inner(request, context)
        except Exception as error:
            await _abort(error, context, method)

    return call


def _streaming(inner: Streaming, method: str) -> Streaming:
    async def call(request: Any, context: Any) -> AsyncIterator[Any]:
        try:
            async for response in inner(request, context):
                yield response
        except Exception as error:
            await _abort(error, context, method)

    return call


async def _abort(error: Exception, context: Any, method: str) -> None:
    if isinstance(error, grpc.aio.AbortError | asyncio.CancelledError):
        raise error
    status = status_of(error)
    if status.code == code_pb2.INTERNAL:
        log.error("call failed", method=method, exc_info=error)
    await context.abort_with_status(rpc_status.to_status(status))


def make_server(tokens: Tokens | None = None) -> Any:
    """Return a `grpc.aio.Server` with the error table and a guard; add servicers, then `open_server`.

    Args:
        tokens: Whom it lets in; None lets anybody in.
    """
    interceptors = [TracingInterceptor(), ErrorInterceptor(), Guard(tokens or Tokens())]
    return grpc.aio.server(interceptors=interceptors, options=OPTIONS)


class RunningServer:
    """A gRPC server that answers calls."""

    def __init__(self, server: Any, port: int, checks: health.aio.HealthServicer) -> None:
        """Keep what `open_server` made."""
        self._server = server
        self.port = port
        """Port that it listens on."""
        self._health = checks

    async def set_ready(self, ready: bool) -> None:
        """Tell health checks whether the service can do its work now."""
        value = health_pb2.HealthCheckResponse.SERVING if ready else health_pb2.HealthCheckResponse.NOT_SERVING
        await self._health.set("", value)

    async def stop(self, grace_s: float = 5.0) -> None:
        """Be not serving, let calls end within the grace, and close."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(grace_s)


async def open_server(
    server: Any, listen: str, services: Sequence[str], credentials: grpc.ServerCredentials | None = None
) -> RunningServer:
    """Start a server with health and reflection.

    Args:
        server: From `make_server`, with its servicers.
        listen: host:port; port 0 takes a free one.
        services: Full names of its services.
        credentials: Of TLS; None speaks without.

    Raises:
        InvalidInputError: the address cannot be listened on.
    """
    checks = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    names = (*services, health.SERVICE_NAME, reflection.SERVICE_NAME)
    reflection.enable_server_reflection(names, server)
    try:
        # The one place where a port of gRPC is opened.
        port = server.add_secure_port(listen, credentials) if credentials else server.add_insecure_port(listen)
    except RuntimeError as error:
        raise InvalidInputError(f"cannot listen on {listen!r}: is it taken? set BAKEOFF_LISTEN ({error})") from error
    await server.start()
    for name in ("", LIVE, *services):
        await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
    return RunningServer(server, port, checks)
