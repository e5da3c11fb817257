"""The likelihood part of an answer, as a file says it."""

from __future__ import annotations

from typing import Any

from bakeoff.cli import shape
from bakeoff.cli.draft import Draft
from bakeoff.cli.yaml_values import Value
from bakeoff.domain.recipe import Continuation, LikelihoodPart


def read_likelihood(value: Value, draft: Draft, path: str) -> LikelihoodPart:
    """Read a likelihood part.

    Args:
        value: A mapping; an empty one asks for likelihoods with all defaults.
        draft: Takes the faults.
        path: Path of the part in the request.
    """
    draft.place(path, value)
    found = draft.mapping(value, shape.LIKELIHOOD)
    said: dict[str, Any] = draft.scalars(found, shape.LIKELIHOOD, path)
    continuation = said.pop("continuation", Continuation.TEXT.value)
    known = [each.value for each in Continuation]
    if continuation not in known:
        draft.fault(found["continuation"], f"must be one of {', '.join(known)}, not {continuation!r}")
        return LikelihoodPart()
    return LikelihoodPart(Continuation(continuation), **said)
