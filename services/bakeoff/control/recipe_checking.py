"""A recipe against the cards of its components: each by itself, and whether they fit each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.control.findings import Findings
from bakeoff.control.inner_components import misplaced_engines
from bakeoff.control.known_components import KnownComponents
from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.domain.recipe import AnswerPart, BuildPart, QueryMode, Recipe
from bakeoff.runtime.nested import inner_specs


class RecipeCheck:
    """Walks recipes: each method returns its part with defaults filled in and notes what is wrong."""

    def __init__(self, known: KnownComponents, findings: Findings) -> None:
        """Know the components, and where to note."""
        self._known = known
        self._found = findings

    def recipe(self, recipe: Recipe, field: str) -> Recipe:
        """Return a recipe with all settings, and note what is wrong with it."""
        if not recipe.name.strip():
            self._found.wrong(f"{field}.name", "must not be empty; it names the recipe in the report")
        build = self._build(recipe.build, f"{field}.build")
        if not recipe.query and recipe.answer is None:
            self._found.wrong(
                f"{field}.query", "must have at least one query mode, unless the recipe has an `answer` part"
            )
        modes = tuple(self._mode(mode, f"{field}.query[{i}]") for i, mode in enumerate(recipe.query))
        for i, mode in enumerate(modes):
            self._needed_indexes(mode.engine, build, f"{field}.query[{i}].engine")
            self._found.violations.extend(
                misplaced_engines(mode.engine, self._known.cards, f"{field}.query[{i}].engine")
            )
        self._found.unique(((f"{field}.query[{i}].name", mode.name) for i, mode in enumerate(modes)), "query modes")
        answer = self._answer(recipe.answer, f"{field}.answer") if recipe.answer else None
        return replace(recipe, build=build, query=modes, answer=answer)

    def _build(self, build: BuildPart, field: str) -> BuildPart:
        if not build.indexes:
            self._found.wrong(f"{field}.indexes", "must have at least one index")
        indexes = tuple(
            self._known.resolve(ComponentKind.INDEX, spec, f"{field}.indexes[{i}]")
            for i, spec in enumerate(build.indexes)
        )
        for i, index in enumerate(indexes):
            if build.embedder is None and self._known.fact(ComponentKind.INDEX, index, "needs_vectors"):
                known = ", ".join(self._known.names.get(ComponentKind.EMBEDDER, [])) or "none is known here"
                self._found.wrong(
                    f"{field}.indexes[{i}]", f"{index.name} needs vectors: name an embedder beside it ({known})"
                )
        self._found.unique(((f"{field}.indexes[{i}]", index.name) for i, index in enumerate(indexes)), "indexes")
        self._one_for_each_place(indexes, field)
        embedder = build.embedder
        return BuildPart(
            parser=self._known.resolve(ComponentKind.PARSER, build.parser, f"{field}.parser"),
            chunker=self._known.resolve(ComponentKind.CHUNKER, build.chunker, f"{field}.chunker"),
            embedder=self._known.resolve(ComponentKind.EMBEDDER, embedder, f"{field}.embedder") if embedder else None,
            indexes=indexes,
        )

    def _one_for_each_place(self, indexes: Sequence[ComponentSpec], field: str) -> None:
        """Check that of two indexes not both are asked in the same place."""
        first: dict[object, str] = {}
        for i, index in enumerate(indexes):
            place = self._known.fact(ComponentKind.INDEX, index, "stands_for") or index.name
            other = first.setdefault(place, index.name)
            if other != index.name:
                self._found.wrong(
                    f"{field}.indexes[{i}]", f"{index.name} is asked as {place}, and so is {other}: keep one"
                )

    def _mode(self, mode: QueryMode, field: str) -> QueryMode:
        self._found.whole(f"{field}.top_k", mode.top_k)
        engine = self._known.resolve(ComponentKind.QUERY_ENGINE, mode.engine, f"{field}.engine")
        return replace(mode, engine=engine, name=mode.name or engine.name)

    def _answer(self, answer: AnswerPart, field: str) -> AnswerPart:
        self._found.whole(f"{field}.passages", answer.passages)
        self._found.whole(f"{field}.samples", answer.samples)
        generator = self._known.resolve(ComponentKind.GENERATOR, answer.generator, f"{field}.generator")
        known = generator.name in self._known.names.get(ComponentKind.GENERATOR, [])
        if known and not self._known.fact(ComponentKind.GENERATOR, generator, "gives_likelihoods"):
            for name in answer.told_to_models:
                problem = f"needs a generator that asks a model, such as openai; {generator.name} asks none"
                self._found.wrong(f"{field}.{name}", problem)
        examples = answer.examples
        if examples is not None:
            examples = self._known.resolve(ComponentKind.EXAMPLE_RETRIEVER, examples, f"{field}.examples")
        return replace(answer, generator=generator, examples=examples)

    def _needed_indexes(self, engine: ComponentSpec, build: BuildPart, field: str) -> None:
        card = self._known.cards.get((ComponentKind.QUERY_ENGINE, engine.name))
        for kind, inner in inner_specs(card, engine) if card else ():
            if kind is ComponentKind.QUERY_ENGINE:
                self._needed_indexes(inner, build, field)
        needed = self._known.fact(ComponentKind.QUERY_ENGINE, engine, "needs_indexes")
        known = build.indexes and all((ComponentKind.INDEX, index.name) in self._known.cards for index in build.indexes)
        if not isinstance(needed, list | tuple) or not known:  # none, or a wrong one, is a fault already
            return
        there = [index.name for index in build.indexes]
        asked = {*there, *(self._known.fact(ComponentKind.INDEX, index, "stands_for") for index in build.indexes)}
        lacking = [name for name in needed if name not in asked]
        if lacking:
            self._found.wrong(
                field,
                f"{engine.name} needs the {'index' if len(lacking) == 1 else 'indexes'} {', '.join(lacking)}, "
                f"but the recipe builds {', '.join(there)}",
            )
