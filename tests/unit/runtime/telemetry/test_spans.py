"""Spans: nothing without a listener, and with one the trace goes on from whoever caused the work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bakeoff.runtime.envelope import TRACEPARENT, evaluation_trace, headers
from bakeoff.runtime.telemetry import spans
from bakeoff.runtime.telemetry.opentelemetry_spans import OpenTelemetryTracer, from_text, to_text

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def kept() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    spans.turn_on(OpenTelemetryTracer("test", SimpleSpanProcessor(exporter)))
    yield exporter
    spans.turn_off()


def test_without_a_listener_a_span_is_nothing() -> None:
    with spans.span("work", evaluation_id="e") as span:
        span.note(cases=1)
        assert (span.traceparent, spans.current()) == ("", "")


def test_a_span_is_part_of_what_caused_it_and_of_what_is_around_it(kept: InMemorySpanExporter) -> None:
    with spans.span("outer", parent=CALLER) as outer, spans.span("inner") as inner:
        assert spans.current() == inner.traceparent
        assert inner.traceparent.split("-")[1] == outer.traceparent.split("-")[1] == CALLER.split("-")[1]
    inside, outside = kept.get_finished_spans()
    assert outside.parent is not None
    assert to_text(outside.parent) == CALLER
    assert inside.parent is not None
    assert to_text(inside.parent) == outer.traceparent


def test_what_raises_fails_its_span_without_its_words(kept: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="secret"), spans.span("work"):
        raise ValueError("secret")
    (span,) = kept.get_finished_spans()
    assert not span.status.is_ok
    assert "secret" not in span.to_json()


def test_an_evaluation_is_kept_under_the_context_that_its_items_have_named(kept: InMemorySpanExporter) -> None:
    context = evaluation_trace("ev-1", 1, CALLER)
    times = {"began": "2026-01-01T00:00:00.000Z", "ended": "2026-01-01T00:00:02.000Z"}
    spans.tell("evaluation", context=context, parent=CALLER, **times)
    spans.tell("evaluation", context=evaluation_trace("ev-2"), parent="", **times)
    caused, uncaused = kept.get_finished_spans()
    assert to_text(caused.context) == context
    assert caused.end_time is not None
    assert caused.start_time is not None
    assert caused.end_time - caused.start_time == 2_000_000_000
    assert to_text(uncaused.context) == evaluation_trace("ev-2")
    assert uncaused.parent is None


def test_the_trace_of_an_evaluation_is_the_caller_s_or_made_of_its_id() -> None:
    assert evaluation_trace("ev-1", 1, CALLER).split("-")[1] == CALLER.split("-")[1]
    assert evaluation_trace("ev-1") == evaluation_trace("ev-1", 1, "nonsense")
    assert evaluation_trace("ev-1", 2) != evaluation_trace("ev-1", 1)
    assert headers("kind", "source", "ev-1", "infer/a")[TRACEPARENT] == evaluation_trace("ev-1")


@pytest.mark.parametrize("text", ["", "nonsense", "00-00-00-00", f"00-{'0' * 32}-{'1' * 16}-01"])
def test_what_is_no_context_is_none(text: str) -> None:
    assert from_text(text) is None
