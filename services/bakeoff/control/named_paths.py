"""Paths that a request names: each must be one that requests may name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import Violation
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.runtime.local_paths import foreign_paths_inside


def check_paths(
    request: EvaluationRequest, cards: Sequence[ComponentCard], folders: tuple[Path, ...] | None
) -> list[Violation]:
    """Return a violation for each path that a request may not name.

    Args:
        request: Any.
        cards: Every component that is known; they say which settings are paths.
        folders: Below which paths may lie; None means everywhere.
    """
    known = {(card.kind, card.name): card for card in cards}
    return [
        violation
        for kind, spec, field in _placed(request)
        for violation in foreign_paths_inside(kind, spec, known, folders, field)
    ]


def _placed(request: EvaluationRequest) -> Iterator[tuple[ComponentKind, ComponentSpec, str]]:
    for number, choice in enumerate(request.benchmarks):
        place = f"benchmarks[{number}]"
        yield ComponentKind.ADAPTER, choice.adapter, f"{place}.adapter"
        for index, spec in enumerate(choice.evaluators):
            yield ComponentKind.EVALUATOR, spec, f"{place}.evaluators[{index}]"
    for index, spec in enumerate(request.rescoring.evaluators if request.rescoring else ()):
        yield ComponentKind.EVALUATOR, spec, f"rescoring.evaluators[{index}]"
    for number, recipe in enumerate(request.recipes):
        build, place = recipe.build, f"recipes[{number}]"
        yield ComponentKind.PARSER, build.parser, f"{place}.build.parser"
        yield ComponentKind.CHUNKER, build.chunker, f"{place}.build.chunker"
        if build.embedder is not None:
            yield ComponentKind.EMBEDDER, build.embedder, f"{place}.build.embedder"
        for index, spec in enumerate(build.indexes):
            yield ComponentKind.INDEX, spec, f"{place}.build.indexes[{index}]"
        for index, mode in enumerate(recipe.query):
            yield ComponentKind.QUERY_ENGINE, mode.engine, f"{place}.query[{index}].engine"
        if recipe.answer is not None:
            yield ComponentKind.GENERATOR, recipe.answer.generator, f"{place}.answer.generator"
            if recipe.answer.examples is not None:
                yield ComponentKind.EXAMPLE_RETRIEVER, recipe.answer.examples, f"{place}.answer.examples"
