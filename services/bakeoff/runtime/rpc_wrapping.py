"""Wrapping the handler of a call, whichever of the four kinds it is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from bakeoff.domain.errors import InvalidInputError

Single = Callable[[Any, Any], Awaitable[Any]]
Streaming = Callable[[Any, Any], AsyncIterator[Any]]


def wrapped(handler: Any, single: Callable[[Single], Single], streaming: Callable[[Streaming], Streaming]) -> Any:
    """Return a handler with its behaviour replaced.

    Args:
        handler: As a servicer's registration made it.
        single: Wraps a behaviour that gives one response.
        streaming: Wraps a behaviour that gives a stream of them.
    """
    make: Any
    if handler.response_streaming:
        make = (
            grpc.stream_stream_rpc_method_handler if handler.request_streaming else grpc.unary_stream_rpc_method_handler
        )
        inner: Any = streaming(handler.stream_stream or handler.unary_stream)
    else:
        make = (
            grpc.stream_unary_rpc_method_handler if handler.request_streaming else grpc.unary_unary_rpc_method_handler
        )
        inner = single(handler.stream_unary or handler.unary_unary)
    return make(inner, handler.request_deserializer, handler.response_serializer)


def parsing(handler: Any) -> Any:
    """Return a handler that reads its messages itself, so that one that cannot be read is an error like any other.

    gRPC's own word for such a message is that the server failed.
    """
    parse = handler.request_deserializer
    if parse is None:
        return handler

    def read(data: bytes) -> Any:
        try:
            return parse(data)
        except DecodeError as error:
            raise InvalidInputError(f"the request of {len(data)} bytes cannot be read: {error}") from error

    async def each(requests: AsyncIterator[bytes]) -> AsyncIterator[Any]:
        async for data in requests:
            yield read(data)

    def single(inner: Single) -> Single:
        async def call(request: Any, context: Any) -> Any:
            return await inner(each(request) if handler.request_streaming else read(request), context)

        return call

    def streaming(inner: Streaming) -> Streaming:
        async def call(request: Any, context: Any) -> AsyncIterator[Any]:
            async for response in inner(each(request) if handler.request_streaming else read(request), context):
                yield response

        return call

    return wrapped(handler, single, streaming)._replace(request_deserializer=None)
