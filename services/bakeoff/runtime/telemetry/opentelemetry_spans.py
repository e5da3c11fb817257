"""Spans over OpenTelemetry: the only file that knows it. Needs the extra `telemetry`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.trace import NonRecordingSpan, SpanContext, Status, StatusCode, TraceFlags

from bakeoff import __version__
from bakeoff.runtime.telemetry.spans import Span, Value

_chosen: ContextVar[SpanContext | None] = ContextVar("chosen", default=None)
"""The context of the next span that is begun, when it is not to be a random one."""
PREFIX = "bakeoff."
"""Begin of the names of facts."""


class _Ids(IdGenerator):
    """Random ids, but for a span whose context was chosen."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()

    def generate_span_id(self) -> int:
        chosen = _chosen.get()
        return chosen.span_id if chosen else self._random.generate_span_id()

    def generate_trace_id(self) -> int:
        chosen = _chosen.get()
        return chosen.trace_id if chosen else self._random.generate_trace_id()


class _Open:
    """A span under way."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    @property
    def traceparent(self) -> str:
        return to_text(self._span.get_span_context())

    def note(self, **facts: Value) -> None:
        self._span.set_attributes({PREFIX + name: value for name, value in facts.items()})

    def fail(self, reason: str) -> None:
        self._span.set_status(Status(StatusCode.ERROR, reason))


class OpenTelemetryTracer:
    """Keeps spans with OpenTelemetry's SDK."""

    def __init__(self, service: str, processor: SpanProcessor) -> None:
        """Hand spans on.

        Args:
            service: Name of the service, `service.name` of the resource; OTEL_RESOURCE_ATTRIBUTES adds to it.
            processor: Takes spans that are over.
        """
        resource = Resource.create({"service.name": service, "service.version": __version__})
        self._provider = TracerProvider(id_generator=_Ids(), resource=resource, shutdown_on_exit=False)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("bakeoff", __version__)

    def close(self) -> None:
        """Hand on what is left."""
        self._provider.shutdown()

    @contextmanager
    def span(self, name: str, parent: str, facts: dict[str, Value]) -> Iterator[Span]:
        """Begin a span that lasts as long as the block."""
        around = _within(parent)
        attributes = {PREFIX + fact: value for fact, value in facts.items()}
        # Exceptions fail the span with their class alone: their words may be long, and the logs have them.
        with self._tracer.start_as_current_span(
            name, context=around, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as begun:
            try:
                yield _Open(begun)
            except BaseException as error:
                begun.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise

    def tell(self, name: str, context: str, parent: str, began: str, ended: str, facts: dict[str, Value]) -> None:
        """Keep a span that is over."""
        token = _chosen.set(from_text(context))
        try:
            around = _within(parent) if parent else trace.set_span_in_context(trace.INVALID_SPAN)
            attributes = {PREFIX + fact: value for fact, value in facts.items()}
            begun = self._tracer.start_span(name, context=around, attributes=attributes, start_time=_ns(began))
        finally:
            _chosen.reset(token)
        begun.end(_ns(ended))

    def current(self) -> str:
        """Return the context of the span around the caller."""
        return to_text(trace.get_current_span().get_span_context())


def to_collector(endpoint: str) -> SpanProcessor:
    """Return what sends spans to a collector over gRPC, in batches; `OTEL_*` variables say the rest.

    Args:
        endpoint: Such as `http://collector:4317`; https for TLS.
    """
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    exporter: SpanExporter = OTLPSpanExporter(endpoint=endpoint, insecure=not endpoint.startswith("https://"))
    return BatchSpanProcessor(exporter)


def to_text(context: SpanContext) -> str:
    """Return a context as a `traceparent`; empty when it is none."""
    if not context.is_valid:
        return ""
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def from_text(traceparent: str) -> SpanContext | None:
    """Read a `traceparent`; None when it is none."""
    parts = traceparent.split("-")
    try:
        trace_id, span_id, flags = (int(part, 16) for part in parts[1:4])
    except ValueError:
        return None
    context = SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags & 1))
    return context if context.is_valid else None


def _within(parent: str) -> Any:
    context = from_text(parent)
    return trace.set_span_in_context(NonRecordingSpan(context)) if context else None


def _ns(time: str) -> int:
    return int(datetime.fromisoformat(time).timestamp() * 1_000_000_000)
