"""The scoring methods of a plan: a benchmark's own or the request's, checked and with all settings filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.control.checking import versions
from bakeoff.control.planning import Prepared
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, UnavailableError
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.runtime.registry import check_settings, unknown


def resolve_methods(
    request: EvaluationRequest, prepared: Sequence[Prepared], cards: Sequence[ComponentCard]
) -> tuple[list[Prepared], dict[str, str]]:
    """Return the benchmarks with resolved methods, and the version of every component of the evaluation.

    Raises:
        InvalidInputError: a benchmark names a method that no running service has, or settings that it refuses.
        UnavailableError: no service has announced methods, or one that the request was checked with is gone.
    """
    methods = {card.name: card for card in cards if card.kind is ComponentKind.EVALUATOR}
    if not methods:
        raise UnavailableError("no service has announced its evaluators; is scoring running?")
    known = versions(request, cards)
    resolved = []
    for benchmark in prepared:
        specs = tuple(_resolve(benchmark.name, spec, methods) for spec in benchmark.evaluators)
        known |= {f"evaluator:{spec.name}": methods[spec.name].version for spec in specs}
        resolved.append(replace(benchmark, evaluators=specs))
    return resolved, dict(sorted(known.items()))


def _resolve(benchmark: str, spec: ComponentSpec, methods: dict[str, ComponentCard]) -> ComponentSpec:
    if spec.name not in methods:
        message = unknown(ComponentKind.EVALUATOR, spec.name, sorted(methods))
        raise InvalidInputError(f"benchmark {benchmark!r}: {message}")
    violations = check_settings(methods[spec.name], spec, f"evaluators.{spec.name}")
    if violations:
        raise InvalidInputError(f"benchmark {benchmark!r} asks for {spec}", violations)
    return methods[spec.name].resolve(spec)
