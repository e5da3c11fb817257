"""Spans of the calls that a server answers; calls that come without a trace have none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import grpc

from bakeoff.contract.rpc_services import PACKAGE
from bakeoff.runtime.envelope import TRACEPARENT
from bakeoff.runtime.rpc_wrapping import Single, Streaming, wrapped
from bakeoff.runtime.telemetry import spans


def incoming(context: Any) -> str:
    """Return the trace context that a call brings; empty when it brings none."""
    return next((str(value) for key, value in context.invocation_metadata() or () if key == TRACEPARENT), "")


class TracingInterceptor(grpc.aio.ServerInterceptor):
    """Puts a span round each call of Bakeoff's own services that brings a trace."""

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any) -> Any:
        """Wrap the handler of a call."""
        handler = await continuation(handler_call_details)
        metadata = dict(handler_call_details.invocation_metadata or ())
        parent = str(metadata.get(TRACEPARENT, ""))
        service, _, method = handler_call_details.method.strip("/").partition("/")
        if handler is None or not parent or not service.startswith(f"{PACKAGE}."):
            return handler

        def single(inner: Single) -> Single:
            async def call(request: Any, context: Any) -> Any:
                with spans.span(method, parent=parent, service=service):
                    return await inner(request, context)

            return call

        def streaming(inner: Streaming) -> Streaming:
            async def call(request: Any, context: Any) -> AsyncIterator[Any]:
                with spans.span(method, parent=parent, service=service):
                    async with aclosing(inner(request, context)) as responses:  # type: ignore[type-var]
                        async for response in responses:
                            yield response

            return call

        return wrapped(handler, single, streaming)
