"""The key that makes the same evaluation of the same data one evaluation, so that running a file again resumes it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace

from bakeoff import __version__
from bakeoff.control.checking import versions
from bakeoff.domain.component import ComponentCard
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.identity import digest_of
from bakeoff.preparation.check import source_stamp
from bakeoff.runtime.settings import Settings


def with_key(
    request: EvaluationRequest, cards: Sequence[ComponentCard], settings: Settings, *, fresh: bool
) -> EvaluationRequest:
    """Return the request with its idempotency key.

    The key that the file gives, else a digest over the resolved request, the versions of its components and of Bakeoff,
    and a stamp of each benchmark's sources: what changed is evaluated anew, what did not is resumed or found.

    Args:
        request: With all settings filled in.
        cards: The components that are known.
        settings: What looking at sources needs.
        fresh: Whether to make the key one that nobody has.
    """
    key = request.idempotency_key or digest_of(
        {
            "request": request,
            "versions": versions(request, cards) | {"bakeoff": __version__},
            "sources": [source_stamp(choice, settings) for choice in request.benchmarks],
        }
    )
    return replace(request, idempotency_key=f"{key}-{secrets.token_hex(8)}" if fresh else key)
