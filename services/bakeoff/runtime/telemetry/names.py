"""The one list of metrics: nothing else is told, and each of these is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a metric is to Prometheus."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric and what tells its series apart."""

    name: str
    """With its unit; counters end in `_total`."""
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()


SECONDS = (0.005, 0.02, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
"""Upper bounds of the buckets of durations: from an item that finds its result to a large build."""

SERVICE = Metric("bakeoff_service", Kind.GAUGE, "1 for each service that the process runs.", ("service", "version"))
READY = Metric("bakeoff_ready", Kind.GAUGE, "Whether the bus and the object store answer: 1, else 0.")
LAG = Metric(
    "bakeoff_stage_lag_items",
    Kind.GAUGE,
    "Items of the stage that are queued or in hand, over all workers.",
    ("stage",),
)
IN_HAND = Metric("bakeoff_stage_in_hand_items", Kind.GAUGE, "Of those, the ones that a worker has in hand.", ("stage",))
ITEMS = Metric(
    "bakeoff_items_total",
    Kind.COUNTER,
    "Items that left here: done, reused (the result or the fact was there), failed, cancelled, or handed_back.",
    ("stage", "outcome"),
)
ITEM_SECONDS = Metric(
    "bakeoff_item_seconds",
    Kind.HISTOGRAM,
    "Time that an item was in hand, all attempts and waits included.",
    ("stage",),
)
RETRIES = Metric("bakeoff_item_retries_total", Kind.COUNTER, "Attempts that raised and were made again.", ("stage",))
OUTAGES = Metric(
    "bakeoff_item_outages_total",
    Kind.COUNTER,
    "Times that an item met a platform out of reach, and waited.",
    ("stage",),
)
REDELIVERIES = Metric(
    "bakeoff_redeliveries_total", Kind.COUNTER, "Items that came here for the second time or more.", ("stage",)
)
DEAD_LETTERS = Metric("bakeoff_dead_letters_total", Kind.COUNTER, "Items that were given up.", ("stage",))
CASES = Metric(
    "bakeoff_cases_total", Kind.COUNTER, "Cases of items that were done here: ended, or failed.", ("stage", "outcome")
)
EVALUATIONS = Metric(
    "bakeoff_evaluations_total", Kind.COUNTER, "Evaluations that this process saw end, by their state.", ("state",)
)
MODEL_CALLS = Metric(
    "bakeoff_model_calls_total", Kind.COUNTER, "Requests that answers of models took, repeated ones too.", ("model",)
)
MODEL_RETRIES = Metric("bakeoff_model_retries_total", Kind.COUNTER, "Of those, the repeated ones.", ("model",))
MODEL_HITS = Metric(
    "bakeoff_model_cache_hits_total", Kind.COUNTER, "Answers that were stored, so that no model was asked.", ("model",)
)
MODEL_FAILURES = Metric(
    "bakeoff_model_failures_total", Kind.COUNTER, "Questions that a model left unanswered.", ("model",)
)
MODEL_SECONDS = Metric(
    "bakeoff_model_call_seconds", Kind.HISTOGRAM, "Time of the requests that were answered.", ("model",)
)
MODEL_TOKENS = Metric(
    "bakeoff_model_tokens_total",
    Kind.COUNTER,
    "Tokens of answers that were paid for: in, out, and of those in, the ones that the endpoint had cached.",
    ("model", "kind"),
)
MODEL_COST = Metric(
    "bakeoff_model_cost_total", Kind.COUNTER, "What they cost, in the unit of the recipe's prices.", ("model",)
)

METRICS: tuple[Metric, ...] = (
    SERVICE,
    READY,
    LAG,
    IN_HAND,
    ITEMS,
    ITEM_SECONDS,
    RETRIES,
    OUTAGES,
    REDELIVERIES,
    DEAD_LETTERS,
    CASES,
    EVALUATIONS,
    MODEL_CALLS,
    MODEL_RETRIES,
    MODEL_HITS,
    MODEL_FAILURES,
    MODEL_SECONDS,
    MODEL_TOKENS,
    MODEL_COST,
)
