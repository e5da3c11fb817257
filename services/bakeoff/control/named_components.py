"""The components that a request names, and their versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bakeoff.control.inner_components import all_inner
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.runtime.nested import nested_specs


def versions(request: EvaluationRequest, cards: Sequence[ComponentCard]) -> dict[str, str]:
    """Return the version of every component that a request names, by `kind:name`; unknown ones are left out."""
    known = {(card.kind, card.name): card for card in cards}
    named = {(kind, spec.name) for kind, spec in components(request)}
    for kind, spec in components(request):
        if (kind, spec.name) in known:
            named |= {(kind, inner.name) for inner in nested_specs(known[kind, spec.name], spec)}
            named |= {(inner_kind, inner.name) for inner_kind, inner in all_inner(kind, spec, known)}
    return {f"{kind.value}:{name}": known[kind, name].version for kind, name in sorted(named) if (kind, name) in known}


def components(request: EvaluationRequest) -> Iterator[tuple[ComponentKind, ComponentSpec]]:
    """Yield every component that a request names, with its kind."""
    for choice in request.benchmarks:
        yield ComponentKind.ADAPTER, choice.adapter
        yield from ((ComponentKind.EVALUATOR, spec) for spec in choice.evaluators)
    for recipe in request.recipes:
        yield ComponentKind.PARSER, recipe.build.parser
        yield ComponentKind.CHUNKER, recipe.build.chunker
        if recipe.build.embedder is not None:
            yield ComponentKind.EMBEDDER, recipe.build.embedder
        yield from ((ComponentKind.INDEX, spec) for spec in recipe.build.indexes)
        yield from ((ComponentKind.QUERY_ENGINE, mode.engine) for mode in recipe.query)
        if recipe.answer is not None:
            yield ComponentKind.GENERATOR, recipe.answer.generator
            if recipe.answer.examples is not None:
                yield ComponentKind.EXAMPLE_RETRIEVER, recipe.answer.examples
