"""Recipes and their parts on the wire."""

from __future__ import annotations

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.recipe import AnswerPart, BuildPart, Continuation, Entrant, LikelihoodPart, QueryMode, Recipe
from bakeoff.v1 import recipe_pb2


def build_part_to_wire(build: BuildPart) -> recipe_pb2.BuildPart:
    """Return the message of a build part."""
    return recipe_pb2.BuildPart(
        parser=str(build.parser),
        chunker=str(build.chunker),
        embedder=str(build.embedder) if build.embedder else "",
        indexes=[str(index) for index in build.indexes],
    )


def build_part_from_wire(message: recipe_pb2.BuildPart) -> BuildPart:
    """Return the build part of a message; what is empty has its default.

    Raises:
        InvalidInputError: a signature cannot be read.
    """
    default = BuildPart()
    return BuildPart(
        ComponentSpec.parse(message.parser) if message.parser else default.parser,
        ComponentSpec.parse(message.chunker) if message.chunker else default.chunker,
        ComponentSpec.parse(message.embedder) if message.embedder else None,
        tuple(ComponentSpec.parse(text) for text in message.indexes) or default.indexes,
    )


def query_mode_to_wire(mode: QueryMode) -> recipe_pb2.QueryMode:
    """Return the message of a query mode."""
    return recipe_pb2.QueryMode(name=mode.name, engine=str(mode.engine), top_k=mode.top_k)


def query_mode_from_wire(message: recipe_pb2.QueryMode) -> QueryMode:
    """Return the query mode of a message; what is empty has its default.

    Raises:
        InvalidInputError: the engine cannot be read.
    """
    engine = ComponentSpec.parse(message.engine)
    return QueryMode(message.name or engine.name, engine, message.top_k or 100)


def answer_part_to_wire(answer: AnswerPart | None) -> recipe_pb2.AnswerPart | None:
    """Return the message of an answer part; None stays None."""
    if answer is None:
        return None
    return recipe_pb2.AnswerPart(
        generator=str(answer.generator),
        passages=answer.passages,
        template=answer.template,
        examples=str(answer.examples) if answer.examples else "",
        samples=answer.samples,
        likelihood=likelihood_part_to_wire(answer.likelihood) if answer.likelihood else None,
    )


def answer_part_from_wire(message: recipe_pb2.AnswerPart) -> AnswerPart:
    """Return the answer part of a message; what is empty has its default.

    Raises:
        InvalidInputError: the generator or the likelihood part cannot be read.
    """
    default = AnswerPart(ComponentSpec.parse(message.generator))
    return AnswerPart(
        default.generator,
        message.passages or default.passages,
        message.template,
        ComponentSpec.parse(message.examples) if message.examples else None,
        message.samples or default.samples,
        likelihood_part_from_wire(message.likelihood) if message.HasField("likelihood") else None,
    )


def likelihood_part_to_wire(likelihood: LikelihoodPart) -> recipe_pb2.LikelihoodPart:
    """Return the message of a likelihood part."""
    return recipe_pb2.LikelihoodPart(
        continuation=likelihood.continuation.value,
        unconditional=likelihood.unconditional,
        generate=likelihood.generate,
    )


def likelihood_part_from_wire(message: recipe_pb2.LikelihoodPart) -> LikelihoodPart:
    """Return the likelihood part of a message; what is empty has its default.

    Raises:
        InvalidInputError: the continuation is none that there is.
    """
    known = [each.value for each in Continuation]
    if message.continuation and message.continuation not in known:
        problem = f"must be one of {', '.join(known)}, not {message.continuation!r}"
        raise InvalidInputError("a likelihood part cannot be read", [Violation("likelihood.continuation", problem)])
    continuation = Continuation(message.continuation) if message.continuation else Continuation.TEXT
    return LikelihoodPart(continuation, message.unconditional, message.generate)


def recipe_to_wire(recipe: Recipe) -> recipe_pb2.Recipe:
    """Return the message of a recipe."""
    return recipe_pb2.Recipe(
        name=recipe.name,
        build=build_part_to_wire(recipe.build),
        query=[query_mode_to_wire(mode) for mode in recipe.query],
        answer=answer_part_to_wire(recipe.answer),
    )


def recipe_from_wire(message: recipe_pb2.Recipe) -> Recipe:
    """Return the recipe of a message."""
    return Recipe(
        message.name,
        build_part_from_wire(message.build),
        tuple(query_mode_from_wire(mode) for mode in message.query),
        answer_part_from_wire(message.answer) if message.HasField("answer") else None,
    )


def entrant_to_wire(entrant: Entrant) -> recipe_pb2.Entrant:
    """Return the message of an entrant."""
    return recipe_pb2.Entrant(recipe=entrant.recipe, mode=entrant.mode)


def entrant_from_wire(message: recipe_pb2.Entrant) -> Entrant:
    """Return the entrant of a message."""
    return Entrant(message.recipe, message.mode)
