"""What was counted in a process, and how Prometheus reads it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.runtime.telemetry.names import METRICS, SECONDS, Kind, Metric

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Series = tuple[str, ...]
"""Values of a metric's labels, in their order."""


@dataclass(slots=True)
class _Durations:
    """A series of a histogram."""

    buckets: list[int] = field(default_factory=lambda: [0] * len(SECONDS))
    """Durations in each bucket alone; longer ones are in none."""
    count: int = 0
    total_s: float = 0.0

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total_s += seconds
        for place, bound in enumerate(SECONDS):
            if seconds <= bound:
                self.buckets[place] += 1
                return


class Book:
    """Counts of a process. Thread-safe."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self._lock = threading.Lock()
        self._numbers: dict[str, dict[Series, float]] = {}
        self._durations: dict[str, dict[Series, _Durations]] = {}

    def add(self, metric: Metric, amount: float, labels: Mapping[str, str]) -> None:
        """Add to a counter."""
        series = _series(metric, Kind.COUNTER, labels)
        if amount < 0:
            raise ValueError(f"{metric.name} only grows, and cannot be changed by {amount}")
        with self._lock:
            numbers = self._numbers.setdefault(metric.name, {})
            numbers[series] = numbers.get(series, 0) + amount

    def put(self, metric: Metric, value: float, labels: Mapping[str, str]) -> None:
        """Set a gauge."""
        series = _series(metric, Kind.GAUGE, labels)
        with self._lock:
            self._numbers.setdefault(metric.name, {})[series] = value

    def observe(self, metric: Metric, seconds: float, labels: Mapping[str, str]) -> None:
        """Add to a histogram."""
        series = _series(metric, Kind.HISTOGRAM, labels)
        with self._lock:
            self._durations.setdefault(metric.name, {}).setdefault(series, _Durations()).add(seconds)

    def page(self) -> str:
        """Return everything in Prometheus's text format, version 0.0.4, in the list's order, series by label."""
        lines: list[str] = []
        with self._lock:
            for metric in METRICS:
                told = self._lines(metric)
                if told:
                    lines += [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind.value}", *told]
        return "".join(f"{line}\n" for line in lines)

    def _lines(self, metric: Metric) -> list[str]:
        if metric.kind is not Kind.HISTOGRAM:
            numbers = sorted(self._numbers.get(metric.name, {}).items())
            return [f"{metric.name}{_labels(metric.labels, series)} {value:.15g}" for series, value in numbers]
        lines = []
        for series, durations in sorted(self._durations.get(metric.name, {}).items()):
            below = 0
            for bound, count in zip((*SECONDS, None), (*durations.buckets, 0), strict=True):
                below = durations.count if bound is None else below + count
                named = _labels((*metric.labels, "le"), (*series, "+Inf" if bound is None else f"{bound:g}"))
                lines.append(f"{metric.name}_bucket{named} {below}")
            named = _labels(metric.labels, series)
            lines += [
                f"{metric.name}_sum{named} {durations.total_s:.15g}",
                f"{metric.name}_count{named} {durations.count}",
            ]
        return lines


def _series(metric: Metric, kind: Kind, labels: Mapping[str, str]) -> Series:
    if metric.kind is not kind or labels.keys() != set(metric.labels):
        raise ValueError(
            f"{metric.name} is a {metric.kind} with the labels {metric.labels}, not a {kind} with {labels}"
        )
    return tuple(labels[name] for name in metric.labels)


def _labels(names: tuple[str, ...], values: Series) -> str:
    if not names:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in zip(names, values, strict=True)) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
