"""The scoring methods of benchmarks whose cases people write."""

from __future__ import annotations

from bakeoff.domain.component import ComponentSpec

RETRIEVAL = (
    ComponentSpec("ndcg", {"k": 10}),
    ComponentSpec("recall", {"k": 10}),
    ComponentSpec("reciprocal_rank", {"k": None}),
    ComponentSpec("evidence_recall", {"k": 5}),
)
ANSWERS = (ComponentSpec("answer_contains"), ComponentSpec("token_f1"))
"""Exact match is not among them: it says something only where answers are as short as the gold ones, which neither a
quoted sentence nor a model that talks is."""


def default_evaluators(*, answers: bool) -> tuple[ComponentSpec, ...]:
    """Return metrics of retrieval and, for cases with gold answers, of answers."""
    return RETRIEVAL + ANSWERS if answers else RETRIEVAL
