"""The guard at the door of every gRPC server: who calls, and whether they may."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc

from bakeoff.contract.permissions import role_needed
from bakeoff.domain.errors import BakeoffError, ForbiddenError, UnauthenticatedError
from bakeoff.runtime.callers import Caller, Role, calling
from bakeoff.runtime.rpc_wrapping import Single, Streaming, wrapped
from bakeoff.runtime.tokens import Tokens

AUTHORIZATION = "authorization"
BEARER = "bearer "
FOR_TENANT = "bakeoff-tenant-bin"
"""Metadata with the tenant that a service speaks for; believed of services only. Binary: a tenant may be any text."""
FOR_ROLES = "bakeoff-roles"


class Guard(grpc.aio.ServerInterceptor):
    """Refuses calls before their first message is read, and lets whoever works on the others know who calls."""

    def __init__(self, tokens: Tokens) -> None:
        """Tell callers by tokens."""
        self._tokens = tokens

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any) -> Any:
        """Return the handler of a call, or one that refuses it."""
        role = role_needed(handler_call_details.method)
        if role is None:
            return await continuation(handler_call_details)
        try:
            caller = self._caller(dict(handler_call_details.invocation_metadata or ()))
            if not caller.may(Role(role)):
                what = handler_call_details.method.rpartition("/")[2]
                raise ForbiddenError(f"this token does not have the role {role}, which {what} needs")
        except BakeoffError as error:
            return _refusing(error)
        handler = await continuation(handler_call_details)
        return None if handler is None else wrapped(handler, _single(caller), _streaming(caller))

    def _caller(self, metadata: dict[str, Any]) -> Caller:
        shown = str(metadata.get(AUTHORIZATION, ""))
        if shown and not shown.lower().startswith(BEARER):
            raise UnauthenticatedError("a call shows its token as `authorization: Bearer TOKEN`")
        caller = self._tokens.caller(shown[len(BEARER) :].strip())
        if Role.INTERNAL not in caller.roles or FOR_TENANT not in metadata:
            return caller
        return spoken_for(metadata)


def speaking_for(caller: Caller) -> list[tuple[str, Any]]:
    """Return the metadata with which a service passes on who calls it."""
    return [(FOR_TENANT, caller.tenant.encode()), (FOR_ROLES, ",".join(sorted(caller.roles)))]


def spoken_for(metadata: dict[str, Any]) -> Caller:
    """Return the caller for whom a service speaks."""
    roles = frozenset(Role(role) for role in str(metadata.get(FOR_ROLES, "")).split(",") if role in set(Role))
    return Caller(bytes(metadata[FOR_TENANT]).decode(), roles, "passed on")


def _refusing(error: Exception) -> Any:
    async def refuse(requests: Any, context: Any) -> AsyncIterator[Any]:
        raise error
        yield  # makes it a stream, which serves all four kinds of call

    return grpc.stream_stream_rpc_method_handler(refuse)


def _single(caller: Caller) -> Callable[[Single], Single]:
    def around(inner: Single) -> Single:
        async def call(request: Any, context: Any) -> Any:
            with calling(caller):
                return await inner(request, context)

        return call

    return around


def _streaming(caller: Caller) -> Callable[[Streaming], Streaming]:
    def around(inner: Streaming) -> Streaming:
        async def call(request: Any, context: Any) -> AsyncIterator[Any]:
            responses = inner(request, context)
            try:
                while True:
                    # Entered for each step: a generator that is closed elsewhere must not leave it set there.
                    with calling(caller):
                        try:
                            response = await anext(responses)
                        except StopAsyncIteration:
                            return
                    yield response
            finally:
                await responses.aclose()  # type: ignore[attr-defined]  # servicers write generators

        return call

    return around
