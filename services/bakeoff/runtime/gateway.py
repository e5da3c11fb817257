"""One address for the whole platform: calls for services that run elsewhere are passed on, byte for byte."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import grpc

# Loaded so that reflection can describe services that this process only passes on.
import bakeoff.v1.benchmark_service_pb2
import bakeoff.v1.document_service_pb2
import bakeoff.v1.inference_service_pb2
import bakeoff.v1.knowledge_service_pb2
import bakeoff.v1.report_service_pb2
import bakeoff.v1.scoring_service_pb2  # noqa: F401
from bakeoff.contract.rpc_services import ANSWERED_BY

OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


class Gateway(grpc.GenericRpcHandler):
    """Passes calls of known gRPC services on to where they are answered. Knows nothing of their messages."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        """Pass on to host:port by service name, such as `reporting`."""
        self._addresses = addresses
        self._channels: dict[str, Any] = {}

    @property
    def services(self) -> tuple[str, ...]:
        """Full names of the gRPC services that are passed on."""
        return tuple(name for name, service in ANSWERED_BY.items() if service in self._addresses)

    def service(self, handler_call_details: Any) -> Any:
        """Return the handler of a call; None when it is of no service that is passed on."""
        method = handler_call_details.method
        service = ANSWERED_BY.get(method.strip("/").partition("/")[0])
        if service is None or service not in self._addresses:
            return None

        async def forward(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
            call = self._channel(service).stream_stream(method)(
                requests, timeout=context.time_remaining(), metadata=_passed_on(context.invocation_metadata())
            )
            try:
                async for response in call:
                    yield response
            except grpc.aio.AioRpcError as error:
                # The trailing metadata holds the rich details, such as field violations.
                await context.abort(error.code(), error.details(), tuple(error.trailing_metadata()))

        # On the wire a single message is a stream of one: this serves all four kinds of call.
        return grpc.stream_stream_rpc_method_handler(forward)

    async def close(self) -> None:
        """Close the connections."""
        for channel in self._channels.values():
            await channel.close()

    def _channel(self, service: str) -> Any:
        if service not in self._channels:
            self._channels[service] = grpc.aio.insecure_channel(self._addresses[service], OPTIONS)
        return self._channels[service]


def _passed_on(metadata: Any) -> list[tuple[str, Any]]:
    """Return what a caller sends along, such as its trace context, without what gRPC itself adds to each hop."""
    return [(key, value) for key, value in metadata or () if not key.startswith((":", "grpc-")) and key != "user-agent"]
