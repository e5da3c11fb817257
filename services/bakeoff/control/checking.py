"""Check a request against the cards of the components it names, and fill in every default."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from bakeoff.control.inner_components import all_inner, misplaced_engines
from bakeoff.control.opponents import OPPONENT, opponent_of
from bakeoff.control.sample_counts import too_few_samples
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest
from bakeoff.domain.recipe import AnswerPart, BuildPart, Entrant, QueryMode, Recipe
from bakeoff.runtime.model_pins import pin_problem
from bakeoff.runtime.nested import inner_kinds, inner_specs, nested_specs, resolve_nested
from bakeoff.runtime.registry import check_settings, unknown

LARGEST_COUNT = 2**32 - 1  # counts travel as uint32
LARGEST_SEED = 2**63 - 1  # the seed travels as int64


class Checked(NamedTuple):
    """What came of checking a request."""

    request: EvaluationRequest
    """With every setting filled in; only worth something when there are no violations and nothing is missing."""
    violations: list[Violation]
    """All that is wrong; the fields are paths such as `recipes[0].build.chunker.overlap`."""
    missing: list[ComponentKind]
    """Kinds that the request needs and of which there is no card at all: their components could not be checked."""


def check_request(request: EvaluationRequest, cards: Sequence[ComponentCard]) -> Checked:
    """Return the request with all settings filled in, and all that is wrong with it.

    Args:
        request: What somebody asks for; need not be valid.
        cards: Every component that is known. A kind without any card belongs to a service that has not announced
            itself yet, which is no fault of the request.
    """
    check = _Check(cards)
    resolved = check.request(request)
    return Checked(resolved, check.violations, sorted(check.missing))


def check_evaluators(
    specs: Sequence[ComponentSpec], recipes: Sequence[Recipe], cards: Sequence[ComponentCard], field: str
) -> tuple[tuple[ComponentSpec, ...], list[Violation]]:
    """Return evaluators with all settings filled in, and all that is wrong with them.

    Args:
        specs: What somebody asks for.
        recipes: Those whose answers are scored, which methods may need something of; empty when not known yet.
        cards: Every component that is known.
        field: Path of the evaluators, for the violations.
    """
    return _Check(cards).evaluators(specs, recipes, field)


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


class _Check:
    """Walks a request once: each method returns its part with defaults filled in and notes what is wrong."""

    def __init__(self, cards: Sequence[ComponentCard]) -> None:
        self._cards = {(card.kind, card.name): card for card in cards}
        self._names: dict[ComponentKind, list[str]] = {}
        for card in sorted(cards, key=lambda card: card.name):
            self._names.setdefault(card.kind, []).append(card.name)
        self.violations: list[Violation] = []
        self.missing: set[ComponentKind] = set()

    def request(self, request: EvaluationRequest) -> EvaluationRequest:
        if not request.name.strip():
            self._wrong("name", "must not be empty; it is the title of the report")
        if not request.benchmarks:
            self._wrong("benchmarks", "must have at least one benchmark")
        if not request.recipes:
            self._wrong("recipes", "must have at least one recipe")
        resolved = replace(
            request,
            benchmarks=tuple(self._benchmark(b, f"benchmarks[{i}]") for i, b in enumerate(request.benchmarks)),
            recipes=tuple(self._recipe(recipe, f"recipes[{i}]") for i, recipe in enumerate(request.recipes)),
            tenant=request.tenant or "default",
        )
        self._options(request.options)
        self._samples(resolved)
        self._opponents(resolved)
        self._unique_benchmarks(resolved.benchmarks)
        self._unique_entrants(resolved.recipes)
        return resolved

    def evaluators(
        self, specs: Sequence[ComponentSpec], recipes: Sequence[Recipe], field: str
    ) -> tuple[tuple[ComponentSpec, ...], list[Violation]]:
        own = "benchmarks[0].evaluators"
        resolved = tuple(self._component(ComponentKind.EVALUATOR, spec, f"{own}[{i}]") for i, spec in enumerate(specs))
        if recipes:
            # Of a request, methods and recipes alone decide whether they fit each other.
            benchmark = BenchmarkChoice(ComponentSpec("stored"), evaluators=resolved)
            request = EvaluationRequest("", (benchmark,), tuple(recipes))
            self._samples(request)
            self._opponents(request)
        placed = [(each, each.field.startswith(own)) for each in self.violations]
        return resolved, [
            replace(each, field=field + each.field.removeprefix(own)) if ours else each for each, ours in placed
        ]

    def _opponents(self, request: EvaluationRequest) -> None:
        for i, choice in enumerate(request.benchmarks):
            for j, spec in enumerate(choice.evaluators):
                named = spec.settings.get(OPPONENT)
                try:
                    if isinstance(named, str):
                        opponent_of(named, request.recipes)
                except InvalidInputError as error:
                    self._wrong(f"benchmarks[{i}].evaluators[{j}].{OPPONENT}", error.message)

    def _options(self, options: EvaluationOptions) -> None:
        self._whole("options.seed", options.seed, -LARGEST_SEED - 1, LARGEST_SEED)
        self._whole("options.batch_cases", options.batch_cases)
        if options.concurrency is not None:
            self._whole("options.concurrency", options.concurrency)
        if not 0.0 < options.confidence < 1.0:
            self._wrong("options.confidence", f"must be between 0 and 1, both excluded, not {options.confidence!r}")

    def _samples(self, request: EvaluationRequest) -> None:
        for spec in dict.fromkeys(spec for choice in request.benchmarks for spec in choice.evaluators):
            card = self._cards.get((ComponentKind.EVALUATOR, spec.name))
            for i, recipe in enumerate(request.recipes):
                problem = too_few_samples(card, spec, recipe.answer.samples) if card and recipe.answer else ""
                if problem:
                    self._wrong(f"recipes[{i}].answer.samples", problem)

    def _benchmark(self, choice: BenchmarkChoice, field: str) -> BenchmarkChoice:
        if choice.limit is not None:
            self._whole(f"{field}.limit", choice.limit)
        evaluators = tuple(
            self._component(ComponentKind.EVALUATOR, spec, f"{field}.evaluators[{i}]")
            for i, spec in enumerate(choice.evaluators)
        )
        self._unique(((f"{field}.evaluators[{i}]", str(spec)) for i, spec in enumerate(evaluators)), "evaluators")
        adapter = self._component(ComponentKind.ADAPTER, choice.adapter, f"{field}.adapter")
        return replace(choice, adapter=adapter, evaluators=evaluators)

    def _recipe(self, recipe: Recipe, field: str) -> Recipe:
        if not recipe.name.strip():
            self._wrong(f"{field}.name", "must not be empty; it names the recipe in the report")
        build = self._build(recipe.build, f"{field}.build")
        if not recipe.query and recipe.answer is None:
            self._wrong(f"{field}.query", "must have at least one query mode, unless the recipe has an `answer` part")
        modes = tuple(self._mode(mode, f"{field}.query[{i}]") for i, mode in enumerate(recipe.query))
        for i, mode in enumerate(modes):
            self._needed_indexes(mode.engine, build, f"{field}.query[{i}].engine")
            self.violations.extend(misplaced_engines(mode.engine, self._cards, f"{field}.query[{i}].engine"))
        self._unique(((f"{field}.query[{i}].name", mode.name) for i, mode in enumerate(modes)), "query modes")
        answer = self._answer(recipe.answer, f"{field}.answer") if recipe.answer else None
        return replace(recipe, build=build, query=modes, answer=answer)

    def _build(self, build: BuildPart, field: str) -> BuildPart:
        if not build.indexes:
            self._wrong(f"{field}.indexes", "must have at least one index")
        indexes = tuple(
            self._component(ComponentKind.INDEX, spec, f"{field}.indexes[{i}]") for i, spec in enumerate(build.indexes)
        )
        for i, index in enumerate(indexes):
            if build.embedder is None and self._fact(ComponentKind.INDEX, index, "needs_vectors"):
                known = ", ".join(self._names.get(ComponentKind.EMBEDDER, [])) or "none is known here"
                self._wrong(
                    f"{field}.indexes[{i}]", f"{index.name} needs vectors: name an embedder beside it ({known})"
                )
        self._unique(((f"{field}.indexes[{i}]", index.name) for i, index in enumerate(indexes)), "indexes")
        self._one_for_each_place(indexes, field)
        embedder = build.embedder
        return BuildPart(
            parser=self._component(ComponentKind.PARSER, build.parser, f"{field}.parser"),
            chunker=self._component(ComponentKind.CHUNKER, build.chunker, f"{field}.chunker"),
            embedder=self._component(ComponentKind.EMBEDDER, embedder, f"{field}.embedder") if embedder else None,
            indexes=indexes,
        )

    def _one_for_each_place(self, indexes: Sequence[ComponentSpec], field: str) -> None:
        """Check that of two indexes not both are asked in the same place."""
        first: dict[object, str] = {}
        for i, index in enumerate(indexes):
            place = self._fact(ComponentKind.INDEX, index, "stands_for") or index.name
            other = first.setdefault(place, index.name)
            if other != index.name:
                self._wrong(f"{field}.indexes[{i}]", f"{index.name} is asked as {place}, and so is {other}: keep one")

    def _mode(self, mode: QueryMode, field: str) -> QueryMode:
        self._whole(f"{field}.top_k", mode.top_k)
        engine = self._component(ComponentKind.QUERY_ENGINE, mode.engine, f"{field}.engine")
        return replace(mode, engine=engine, name=mode.name or engine.name)

    def _answer(self, answer: AnswerPart, field: str) -> AnswerPart:
        self._whole(f"{field}.passages", answer.passages)
        self._whole(f"{field}.samples", answer.samples)
        generator = self._component(ComponentKind.GENERATOR, answer.generator, f"{field}.generator")
        known = generator.name in self._names.get(ComponentKind.GENERATOR, [])
        if answer.likelihood and known and not self._fact(ComponentKind.GENERATOR, generator, "gives_likelihoods"):
            problem = f"needs a generator that asks a model, such as openai; {generator.name} asks none"
            self._wrong(f"{field}.likelihood", problem)
        examples = answer.examples
        if examples is not None:
            examples = self._component(ComponentKind.EXAMPLE_RETRIEVER, examples, f"{field}.examples")
        return replace(answer, generator=generator, examples=examples)

    def _needed_indexes(self, engine: ComponentSpec, build: BuildPart, field: str) -> None:
        card = self._cards.get((ComponentKind.QUERY_ENGINE, engine.name))
        for kind, inner in inner_specs(card, engine) if card else ():
            if kind is ComponentKind.QUERY_ENGINE:
                self._needed_indexes(inner, build, field)
        needed = self._fact(ComponentKind.QUERY_ENGINE, engine, "needs_indexes")
        known = build.indexes and all((ComponentKind.INDEX, index.name) in self._cards for index in build.indexes)
        if not isinstance(needed, list | tuple) or not known:  # none, or a wrong one, is a fault already
            return
        there = [index.name for index in build.indexes]
        asked = {*there, *(self._fact(ComponentKind.INDEX, index, "stands_for") for index in build.indexes)}
        lacking = [name for name in needed if name not in asked]
        if lacking:
            self._wrong(
                field,
                f"{engine.name} needs the {'index' if len(lacking) == 1 else 'indexes'} {', '.join(lacking)}, "
                f"but the recipe builds {', '.join(there)}",
            )

    def _component(self, kind: ComponentKind, spec: ComponentSpec, field: str) -> ComponentSpec:
        if kind not in self._names:
            self.missing.add(kind)
            return spec
        card = self._cards.get((kind, spec.name))
        if card is None:
            self._wrong(field, unknown(kind, spec.name, self._names[kind]))
            return spec
        self.violations.extend(check_settings(card, spec, field))
        if refused := card.facts.get("refused"):
            self._wrong(field, f"{spec.name} is refused: {refused}")
        siblings = {name: self._cards[kind, name] for name in self._names[kind]}
        resolved, wrong = resolve_nested(card, card.resolve(spec), siblings, field)
        self.violations.extend(wrong)
        if problem := pin_problem(card, resolved):
            self._wrong(field, problem)
        return self._inner(card, resolved, field)

    def _inner(self, card: ComponentCard, spec: ComponentSpec, field: str) -> ComponentSpec:
        """Return a component in whose settings those of other kinds have all their settings."""
        settings = dict(spec.settings)
        for name, kind in inner_kinds(card).items():
            if not isinstance(settings.get(name), str):  # lacking or of another type is a fault already
                continue
            try:
                inner = ComponentSpec.parse(str(settings[name]))
            except InvalidInputError as error:
                self._wrong(f"{field}.{name}", str(error))
                continue
            settings[name] = str(self._component(kind, inner, f"{field}.{name}"))
        return replace(spec, settings=settings)

    def _fact(self, kind: ComponentKind, spec: ComponentSpec, name: str) -> object:
        card = self._cards.get((kind, spec.name))
        return card.facts.get(name) if card else None

    def _unique_benchmarks(self, choices: Sequence[BenchmarkChoice]) -> None:
        named = ((f"benchmarks[{i}].name", choice.name) for i, choice in enumerate(choices) if choice.name)
        self._unique(named, "benchmarks")
        # Without a name of their own, the same data twice would go by the same name.
        unnamed = ((f"benchmarks[{i}]", str(choice.adapter)) for i, choice in enumerate(choices) if not choice.name)
        self._unique(unnamed, "benchmarks without a name")

    def _unique_entrants(self, recipes: Sequence[Recipe]) -> None:
        before = len(self.violations)
        self._unique(((f"recipes[{i}].name", recipe.name) for i, recipe in enumerate(recipes)), "recipes")
        if len(self.violations) > before:
            return
        # `a` in mode `b/c` and `a/b` in mode `c` would both be `a/b/c` in the report.
        entrants = (
            (f"recipes[{i}].query[{j}].name", str(Entrant(recipe.name, mode)))
            for i, recipe in enumerate(recipes)
            for j, mode in enumerate([Entrant.of(recipe, mode).mode for mode in recipe.modes])
            if mode not in [earlier.name for earlier in recipe.query[:j]]
        )
        self._unique(entrants, "entrants")

    def _unique(self, named: Iterable[tuple[str, str]], what: str) -> None:
        first: dict[str, str] = {}
        for field, name in named:
            if name in first:
                self._wrong(field, f"two {what} are named {name!r}; the other is {first[name]}")
            else:
                first[name] = field

    def _whole(self, field: str, value: int, minimum: int = 1, maximum: int = LARGEST_COUNT) -> None:
        if not minimum <= value <= maximum:
            self._wrong(field, f"must be a whole number from {minimum} to {maximum}, not {value!r}")

    def _wrong(self, field: str, problem: str) -> None:
        self.violations.append(Violation(field, problem))
