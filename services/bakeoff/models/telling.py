"""What is told of each answer of a model: calls, tokens, cost, and whether it was there already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bakeoff.domain.prompt import Usage
from bakeoff.models.model_settings import ModelSettings
from bakeoff.runtime.telemetry import metrics, names, spans


def tell(settings: ModelSettings, usage: Usage) -> None:
    """Count an answer.

    Args:
        settings: Whose.
        usage: What it took; of no attempt when it was stored.
    """
    model = settings.model
    if usage.attempts == 0:
        metrics.count(names.MODEL_HITS, model=model)
        return
    metrics.count(names.MODEL_CALLS, usage.attempts, model=model)
    metrics.count(names.MODEL_RETRIES, usage.attempts - 1, model=model)
    if usage.latency_ms is not None:
        metrics.observe(names.MODEL_SECONDS, usage.latency_ms / 1000, model=model)
    for kind, tokens in (("in", usage.tokens_in), ("out", usage.tokens_out), ("cached", usage.tokens_cached)):
        metrics.count(names.MODEL_TOKENS, tokens or 0, model=model, kind=kind)
    metrics.count(names.MODEL_COST, usage.cost or 0.0, model=model)


@contextmanager
def asking(settings: ModelSettings) -> Iterator[None]:
    """Put a span round what a model is asked; what it leaves unanswered is counted."""
    with spans.span("ask model", model=settings.model):
        try:
            yield
        except Exception:
            metrics.count(names.MODEL_FAILURES, model=settings.model)
            raise
