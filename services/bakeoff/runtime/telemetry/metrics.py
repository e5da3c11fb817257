"""Telling facts that are counted: free while nobody listens, and whoever tells knows nothing of who listens."""

from __future__ import annotations

from bakeoff.runtime.telemetry.book import Book
from bakeoff.runtime.telemetry.names import Metric

_book: Book | None = None


def turn_on() -> Book:
    """Begin to count in this process, or go on; return what holds the counts."""
    global _book
    _book = _book or Book()
    return _book


def turn_off() -> None:
    """Forget what was counted, and count no more."""
    global _book
    _book = None


def count(metric: Metric, amount: float = 1, **labels: str) -> None:
    """Add to a counter.

    Args:
        metric: Of the list.
        amount: At least 0.
        labels: All that the metric has.
    """
    if _book is not None:
        _book.add(metric, amount, labels)


def level(metric: Metric, value: float, **labels: str) -> None:
    """Set a gauge."""
    if _book is not None:
        _book.put(metric, value, labels)


def observe(metric: Metric, seconds: float, **labels: str) -> None:
    """Add a duration to a histogram."""
    if _book is not None:
        _book.observe(metric, seconds, labels)
