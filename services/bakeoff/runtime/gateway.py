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
from bakeoff.runtime.channels import open_async_peer, peer_metadata
from bakeoff.runtime.guard import AUTHORIZATION, FOR_ROLES, FOR_TENANT
from bakeoff.runtime.settings import Settings

OWN = frozenset({AUTHORIZATION, FOR_TENANT, FOR_ROLES})
"""Metadata that say who calls: on the way on, this process says that itself."""

LOST = "Internal error from Core"
"""What gRPC's client says when a stream is refused at the very moment at which more is being sent: no word of the
service that was called."""


class Gateway(grpc.GenericRpcHandler):
    """Passes calls of known gRPC services on to where they are answered. Knows nothing of their messages."""

    def __init__(self, addresses: Mapping[str, str], settings: Settings | None = None) -> None:
        """Pass on calls.

        Args:
            addresses: host:port by service name, such as `reporting`.
            settings: TLS and the services' token; None means neither.
        """
        self._addresses = addresses
        self._settings = settings or Settings()
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
            metadata = [*_passed_on(context.invocation_metadata()), *peer_metadata(self._settings)]
            call = self._channel(service).stream_stream(method)(
                requests, timeout=context.time_remaining(), metadata=metadata
            )
            try:
                async for response in call:
                    yield response
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.INTERNAL and error.details() == LOST:
                    broken = f"the call to {service} broke off before its answer could be read"
                    await context.abort(grpc.StatusCode.UNAVAILABLE, broken)
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
            self._channels[service] = open_async_peer(self._addresses[service], self._settings)
        return self._channels[service]


def _passed_on(metadata: Any) -> list[tuple[str, Any]]:
    """Return what a caller sends along, such as its trace context, without what gRPC itself adds to each hop."""
    return [
        (key, value)
        for key, value in metadata or ()
        if not key.startswith((":", "grpc-")) and key != "user-agent" and key not in OWN
    ]
