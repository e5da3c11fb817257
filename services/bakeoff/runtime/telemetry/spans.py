"""Telling what a piece of work was part of and how long it took: free while no traces are wanted.

Whoever tells knows nothing of who listens. A trace context is the text of W3C's header `traceparent`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Value = str | int | float | bool


class Span(Protocol):
    """A piece of work under way."""

    @property
    def traceparent(self) -> str:
        """Its trace context, for what it causes elsewhere; empty when no traces are wanted."""

    def note(self, **facts: Value) -> None:
        """Say something of it."""

    def fail(self, reason: str) -> None:
        """Say that it came to nothing."""


class Tracer(Protocol):
    """Keeps spans."""

    def span(self, name: str, parent: str, facts: dict[str, Value]) -> AbstractContextManager[Span]:
        """Begin a span that lasts as long as the block; an empty parent is the span around it, if any."""

    def tell(self, name: str, context: str, parent: str, began: str, ended: str, facts: dict[str, Value]) -> None:
        """Keep a span that is over, under a context that was chosen for it."""

    def current(self) -> str:
        """Return the context of the span around the caller; empty when there is none."""


class _Nothing:
    """The span of a process that keeps none."""

    traceparent = ""

    def note(self, **facts: Value) -> None:
        """Do nothing."""

    def fail(self, reason: str) -> None:
        """Do nothing."""


_NOTHING = _Nothing()
_tracer: Tracer | None = None


def turn_on(tracer: Tracer) -> None:
    """Keep the spans of this process from now on."""
    global _tracer
    _tracer = tracer


def turn_off() -> None:
    """Keep no more spans."""
    global _tracer
    _tracer = None


@contextmanager
def span(name: str, /, *, parent: str = "", **facts: Value) -> Iterator[Span]:
    """Begin a span that lasts as long as the block. What the block raises fails it, and is raised on.

    Args:
        name: What is done, such as `infer`: few names, the rest are facts.
        parent: Trace context of what caused it; empty means the span around it.
        facts: What is known of it.
    """
    if _tracer is None:
        yield _NOTHING
        return
    with _tracer.span(name, parent, facts) as begun:
        yield begun


def tell(name: str, /, *, context: str, parent: str, began: str, ended: str, **facts: Value) -> None:
    """Keep a span that is over.

    Args:
        name: What was done.
        context: Its own trace context, which others may have named as their parent.
        parent: Trace context of what caused it; empty when it is the first.
        began: RFC 3339, UTC.
        ended: RFC 3339, UTC.
        facts: What is known of it.
    """
    if _tracer is not None:
        _tracer.tell(name, context, parent, began, ended, facts)


def current() -> str:
    """Return the trace context of the span around the caller; empty when there is none."""
    return "" if _tracer is None else _tracer.current()
