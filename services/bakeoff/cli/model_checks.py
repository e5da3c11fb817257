"""Models that recipes ask, looked for at their endpoints before anything starts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import BakeoffError, InvalidInputError, NotFoundError, Violation
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.recipe import AnswerPart, BuildPart, QueryMode
from bakeoff.inference.registries import generators
from bakeoff.inference.retrieving.opening import models_in
from bakeoff.knowledge.embedders.openai import OpenAiEmbedder
from bakeoff.knowledge.registries import embedders
from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice
from bakeoff.runtime.nested import nested_specs
from bakeoff.runtime.settings import Settings
from bakeoff.scoring.asked_models import models_asked_by
from bakeoff.scoring.registries import evaluators

PATIENCE_S = 5.0
"""Seconds that an endpoint has to list its models; one that is slow or away may be there when it is asked."""


def check_models(request: EvaluationRequest, settings: Settings) -> list[Violation]:
    """Return a violation for each recipe or judge whose endpoint lists its models without this one, or refuses the key.

    No model is called. An endpoint that does not answer, or does not list its models, says nothing.

    Args:
        request: A checked request.
        settings: Have the keys.
    """
    violations = []
    for number, choice in enumerate(request.benchmarks):
        for place, spec in enumerate(choice.evaluators):
            if problem := _problem(partial(_judging, spec), ModelAccess(settings)):
                violations.append(Violation(f"benchmarks[{number}].evaluators[{place}]", problem))
    for number, recipe in enumerate(request.recipes):
        if recipe.answer and (problem := _problem(partial(_answering, recipe.answer), ModelAccess(settings))):
            violations.append(Violation(f"recipes[{number}].answer.generator", problem))
        if problem := _problem(partial(_embedding, recipe.build), ModelAccess(settings)):
            violations.append(Violation(f"recipes[{number}].build.embedder", problem))
        for place, mode in enumerate(recipe.query):
            if problem := _problem(partial(_retrieving, mode), ModelAccess(settings)):
                violations.append(Violation(f"recipes[{number}].query[{place}].engine", problem))
    return violations


def asks_models(spec: ComponentSpec) -> bool:
    """Return whether an evaluator that is installed here asks a model, itself or within its settings."""
    if spec.name not in evaluators.names():
        return False
    card = evaluators.card(spec.name)
    return bool(card.facts.get("asks_models")) or any(asks_models(inner) for inner in nested_specs(card, spec))


def _judging(spec: ComponentSpec) -> list[ModelChoice]:
    return models_asked_by(evaluators.make(spec)) if asks_models(spec) else []


def _answering(part: AnswerPart) -> list[ModelChoice]:
    generator = generators.make(part.generator)
    return [generator] if isinstance(generator, ModelChoice) else []


def _embedding(part: BuildPart) -> list[ModelChoice]:
    spec = part.embedder
    # One that is not known here is a plug-in of the platform.
    if spec is None or spec.name not in embedders.load().names() or "base_url" not in spec.settings:
        return []
    embedder = embedders.make(spec)
    return [embedder.choice] if isinstance(embedder, OpenAiEmbedder) else []


def _retrieving(mode: QueryMode) -> list[ModelChoice]:
    return [engine.model.choice for engine in models_in(mode.engine) if engine.model]


def _problem(choices: Callable[[], list[ModelChoice]], access: ModelAccess) -> str:
    try:
        for choice in choices():
            asyncio.run(_look(access, choice))
    except (InvalidInputError, NotFoundError) as error:
        return str(error)
    except (BakeoffError, TimeoutError):
        return ""
    return ""


async def _look(access: ModelAccess, choice: ModelChoice) -> None:
    model = access.open(choice)
    try:
        await asyncio.wait_for(model.check(), PATIENCE_S)
    finally:
        await model.close()
