"""What is told of an item that a worker had in hand: a span, and counts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from bakeoff.domain.work import DoneFact
from bakeoff.runtime.envelope import TRACEPARENT
from bakeoff.runtime.item_in_hand import ItemInHand
from bakeoff.runtime.telemetry import metrics, names, spans

REUSED = {"reused": 1}
"""Counts of an item whose result was there: somebody stored it and died before saying so, or made it for another."""


class Told:
    """The telling of one item."""

    def __init__(self, stage: str, span: spans.Span) -> None:
        """Begin with nothing to tell."""
        self._stage = stage
        self._span = span

    @property
    def trace(self) -> str:
        """Trace context of the item; empty when no traces are kept."""
        return self._span.traceparent

    def ended(self, fact: DoneFact | None) -> None:
        """Tell how the item ended; None when its evaluation was cancelled."""
        outcome = _outcome(fact)
        metrics.count(names.ITEMS, stage=self._stage, outcome=outcome)
        self._span.note(outcome=outcome)
        if fact is None:
            return
        self._span.note(attempts=fact.attempts)
        if fact.failure is not None:
            self._span.fail(fact.failure.reason)
            metrics.count(names.DEAD_LETTERS, stage=self._stage)
        failed = fact.counts.get("failed_cases", 0)
        if "cases" in fact.counts:
            metrics.count(names.CASES, fact.counts["cases"] - failed, stage=self._stage, outcome="ended")
            metrics.count(names.CASES, failed, stage=self._stage, outcome="failed")


@contextmanager
def item_told(item: ItemInHand) -> Iterator[Told]:
    """Put a span round an item, and count it."""
    task, delivery = item.task, item.delivery
    stage = task.stage.value
    if delivery.deliveries > 1:
        metrics.count(names.REDELIVERIES, stage=stage)
    began = time.perf_counter()
    with spans.span(
        stage,
        parent=delivery.message.headers.get(TRACEPARENT, ""),
        evaluation_id=task.evaluation_id,
        item=task.item,
        tenant=task.tenant,
        deliveries=delivery.deliveries,
    ) as span:
        yield Told(stage, span)
    metrics.observe(names.ITEM_SECONDS, time.perf_counter() - began, stage=stage)


def _outcome(fact: DoneFact | None) -> str:
    if fact is None:
        return "cancelled"
    return "reused" if fact.counts == REUSED else fact.outcome.value
