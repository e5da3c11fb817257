"""The key that makes the same evaluation of the same data one evaluation, so that running a file again resumes it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bakeoff import __version__
from bakeoff.control.named_components import versions
from bakeoff.domain.component import ComponentCard, ComponentKind
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.identity import digest_of, sha256_hex
from bakeoff.preparation.check import source_stamp
from bakeoff.runtime.settings import Settings


def with_key(
    request: EvaluationRequest, cards: Sequence[ComponentCard], settings: Settings, *, fresh: bool
) -> EvaluationRequest:
    """Return the request with its idempotency key.

    The key that the file gives, else a digest over the resolved request, the versions of its components and of Bakeoff,
    a stamp of each benchmark's sources, and the content of the files that recipes name: what changed is evaluated anew,
    what did not is resumed or found.

    Args:
        request: With all settings filled in.
        cards: The components that are known.
        settings: What looking at sources needs.
        fresh: Whether to make the key one that nobody has.
    """
    key = request.idempotency_key or digest_of(
        {
            "request": request,
            "versions": versions(request, cards) | _own_evaluators(request, cards) | {"bakeoff": __version__},
            "sources": [source_stamp(choice, settings) for choice in request.benchmarks],
            # Absent where there are none, so that keys stay what they were.
            **({"files": files} if (files := _files(request, cards)) else {}),
        }
    )
    return replace(request, idempotency_key=f"{key}-{secrets.token_hex(8)}" if fresh else key)


def _files(request: EvaluationRequest, cards: Sequence[ComponentCard]) -> list[str]:
    """Return the digests of the files that answer parts name, such as the rules of a mock; "" for one not here."""
    paths = {
        (card.name, setting.name)
        for card in cards
        if card.kind in (ComponentKind.GENERATOR, ComponentKind.EXAMPLE_RETRIEVER)
        for setting in card.settings
        if setting.type == "path"
    }
    parts = [recipe.answer for recipe in request.recipes if recipe.answer]
    specs = [spec for part in parts for spec in (part.generator, part.examples) if spec]
    named = [spec.settings[name] for spec in specs for owner, name in sorted(paths) if owner == spec.name]
    return [_content(Path(str(path))) for path in named]


def _content(path: Path) -> str:
    try:
        return sha256_hex(path.read_bytes())
    except OSError:
        return ""


def _own_evaluators(request: EvaluationRequest, cards: Sequence[ComponentCard]) -> dict[str, str]:
    """Return the versions of all evaluators, where a benchmark is to choose its own when it is prepared."""
    if all(choice.evaluators for choice in request.benchmarks):
        return {}
    kind = ComponentKind.EVALUATOR
    return {f"{kind.value}:{card.name}": card.version for card in cards if card.kind is kind}
