"""What an answer tells of a retrieval that was more than one search."""

from __future__ import annotations

from collections.abc import Mapping

RETRIEVAL = "retrieval"
"""Key of CaseAnswer.metadata: the engine with its queries, and whatever else is to be known of its steps."""
FALLBACK = "fallback"
"""Key below it: why the engine went on without what a model should have said, with `kind` and `reason`."""
FIRST = "first"
"""Key below it: the same of the engine that this one asked, a list with one for each time that it did."""


def fell_back(facts: object) -> bool:
    """Say whether an engine, or one that it asked, went on without what a model should have said.

    Args:
        facts: What stands under RETRIEVAL; None when nothing does.
    """
    if not isinstance(facts, Mapping):
        return False
    inner = facts.get(FIRST, ())
    return FALLBACK in facts or any(map(fell_back, inner if isinstance(inner, list | tuple) else ()))
