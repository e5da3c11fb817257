"""Turning metrics and traces on for a process, as its settings say, and off at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bakeoff import __version__
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.settings import Settings
from bakeoff.runtime.telemetry import metrics, spans
from bakeoff.runtime.telemetry.names import SERVICE
from bakeoff.runtime.telemetry.page import MetricsPage

Closing = Callable[[], None]


class Telemetry:
    """What a process tells of itself; nothing when its settings name no listener."""

    def __init__(self, settings: Settings, services: Sequence[str]) -> None:
        """Begin to tell.

        Args:
            settings: Where metrics are read, and where traces go.
            services: Names of the services that the process runs.

        Raises:
            InvalidInputError: the address of the metrics cannot be listened on, or the extra `telemetry` is missing.
        """
        self._page = MetricsPage(settings.metrics_listen, metrics.turn_on()) if settings.metrics_listen else None
        for service in services:
            metrics.level(SERVICE, 1, service=service, version=__version__)
        try:
            self._close_traces = trace_to(settings.traces_endpoint, services[0] if len(services) == 1 else "all")
        except BaseException:
            self._close_page()
            raise

    @property
    def address(self) -> str:
        """host:port of the page of metrics; empty when there is none."""
        return self._page.address if self._page else ""

    def close(self) -> None:
        """Hand on what is left, and tell no more."""
        self._close_traces()
        self._close_page()

    def _close_page(self) -> None:
        if self._page:
            self._page.close()
            self._page = None
            metrics.turn_off()


def trace_to(endpoint: str, service: str) -> Closing:
    """Send the spans of this process to a collector; return what hands on the last ones and ends that.

    Args:
        endpoint: Of the collector; empty sends none.
        service: Name of who sends.

    Raises:
        InvalidInputError: the extra `telemetry` is missing.
    """
    if not endpoint:
        return _nothing
    try:
        from bakeoff.runtime.telemetry.opentelemetry_spans import OpenTelemetryTracer, to_collector
    except ImportError as error:
        raise InvalidInputError("BAKEOFF_TRACES_ENDPOINT needs an extra: pip install 'bakeoff[telemetry]'") from error
    tracer = OpenTelemetryTracer(f"bakeoff-{service}", to_collector(endpoint))
    spans.turn_on(tracer)

    def close() -> None:
        spans.turn_off()
        tracer.close()

    return close


def _nothing() -> None:
    """Do nothing."""
