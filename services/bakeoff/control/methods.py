"""The scoring methods of a plan: a benchmark's own or the request's, checked and with all settings filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.control.named_components import versions
from bakeoff.control.planning import Prepared
from bakeoff.control.sample_counts import too_few_samples
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, UnavailableError, Violation
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.runtime.nested import nested_specs, resolve_nested
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
        _check_samples(benchmark.name, specs, methods, request)
        named = [*specs, *(inner for spec in specs for inner in nested_specs(methods[spec.name], spec))]
        known |= {f"evaluator:{spec.name}": methods[spec.name].version for spec in named}
        resolved.append(replace(benchmark, evaluators=specs))
    return resolved, dict(sorted(known.items()))


def _resolve(benchmark: str, spec: ComponentSpec, methods: dict[str, ComponentCard]) -> ComponentSpec:
    if spec.name not in methods:
        message = unknown(ComponentKind.EVALUATOR, spec.name, sorted(methods))
        raise InvalidInputError(f"benchmark {benchmark!r}: {message}")
    card, field = methods[spec.name], f"evaluators.{spec.name}"
    violations = check_settings(card, spec, field)
    resolved, wrong = resolve_nested(card, card.resolve(spec), methods, field)
    if violations or wrong:
        raise InvalidInputError(f"benchmark {benchmark!r} asks for {spec}", [*violations, *wrong])
    return resolved


def _check_samples(
    benchmark: str, specs: Sequence[ComponentSpec], methods: dict[str, ComponentCard], request: EvaluationRequest
) -> None:
    violations = [
        Violation(f"recipes[{i}].answer.samples", problem)
        for spec in specs
        for i, recipe in enumerate(request.recipes)
        if recipe.answer and (problem := too_few_samples(methods[spec.name], spec, recipe.answer.samples))
    ]
    if violations:
        raise InvalidInputError(f"benchmark {benchmark!r} is scored over samples that are not asked for", violations)
