"""A collector of OpenTelemetry: takes what a platform sends over gRPC, and keeps it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc


@dataclass(frozen=True)
class Kept:
    """A span that arrived."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    """Empty when it has none."""
    facts: dict[str, Any]
    failed: bool


@dataclass
class TraceCollector(trace_service_pb2_grpc.TraceServiceServicer):
    """Listens on a free port of the loopback address."""

    spans: list[Kept] = field(default_factory=list)
    endpoint: str = ""

    def __enter__(self) -> TraceCollector:
        self._lock = threading.Lock()
        self._server = grpc.server(ThreadPoolExecutor(2))
        add: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
        add(self, self._server)
        self.endpoint = f"http://127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop(None).wait()

    def Export(self, request: Any, context: Any) -> Any:  # noqa: N802  # the contract's name
        found = [
            Kept(
                span.name,
                span.trace_id.hex(),
                span.span_id.hex(),
                span.parent_span_id.hex(),
                {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes},
                span.status.code == 2,
            )
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        with self._lock:
            self.spans += found
        return trace_service_pb2.ExportTraceServiceResponse()
