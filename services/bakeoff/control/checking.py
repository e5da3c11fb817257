"""Check a request against the cards of the components it names, and fill in every default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from bakeoff.control.findings import Findings
from bakeoff.control.known_components import KnownComponents
from bakeoff.control.opponents import OPPONENT, opponent_of
from bakeoff.control.recipe_checking import RecipeCheck
from bakeoff.control.sample_counts import too_few_samples
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest
from bakeoff.domain.recipe import Entrant, Recipe

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


class _Check:
    """Walks a request once: each method returns its part with defaults filled in and notes what is wrong."""

    def __init__(self, cards: Sequence[ComponentCard]) -> None:
        self._found = Findings()
        self._known = KnownComponents(cards, self._found)
        self._recipes = RecipeCheck(self._known, self._found)

    @property
    def violations(self) -> list[Violation]:
        return self._found.violations

    @property
    def missing(self) -> set[ComponentKind]:
        return self._found.missing

    def request(self, request: EvaluationRequest) -> EvaluationRequest:
        if not request.name.strip():
            self._found.wrong("name", "must not be empty; it is the title of the report")
        if not request.benchmarks:
            self._found.wrong("benchmarks", "must have at least one benchmark")
        if not request.recipes:
            self._found.wrong("recipes", "must have at least one recipe")
        resolved = replace(
            request,
            benchmarks=tuple(self._benchmark(b, f"benchmarks[{i}]") for i, b in enumerate(request.benchmarks)),
            recipes=tuple(self._recipes.recipe(recipe, f"recipes[{i}]") for i, recipe in enumerate(request.recipes)),
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
        resolved = tuple(
            self._known.resolve(ComponentKind.EVALUATOR, spec, f"{own}[{i}]") for i, spec in enumerate(specs)
        )
        if recipes:
            # Of a request, methods and recipes alone decide whether they fit each other.
            benchmark = BenchmarkChoice(ComponentSpec("stored"), evaluators=resolved)
            request = EvaluationRequest("", (benchmark,), tuple(recipes))
            self._samples(request)
            self._opponents(request)
        placed = [(each, each.field.startswith(own)) for each in self._found.violations]
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
                    self._found.wrong(f"benchmarks[{i}].evaluators[{j}].{OPPONENT}", error.message)

    def _options(self, options: EvaluationOptions) -> None:
        self._found.whole("options.seed", options.seed, -LARGEST_SEED - 1, LARGEST_SEED)
        self._found.whole("options.batch_cases", options.batch_cases)
        if options.concurrency is not None:
            self._found.whole("options.concurrency", options.concurrency)
        if not 0.0 < options.confidence < 1.0:
            self._found.wrong(
                "options.confidence", f"must be between 0 and 1, both excluded, not {options.confidence!r}"
            )

    def _samples(self, request: EvaluationRequest) -> None:
        for spec in dict.fromkeys(spec for choice in request.benchmarks for spec in choice.evaluators):
            card = self._known.cards.get((ComponentKind.EVALUATOR, spec.name))
            for i, recipe in enumerate(request.recipes):
                problem = too_few_samples(card, spec, recipe.answer.samples) if card and recipe.answer else ""
                if problem:
                    self._found.wrong(f"recipes[{i}].answer.samples", problem)

    def _benchmark(self, choice: BenchmarkChoice, field: str) -> BenchmarkChoice:
        if choice.limit is not None:
            self._found.whole(f"{field}.limit", choice.limit)
        evaluators = tuple(
            self._known.resolve(ComponentKind.EVALUATOR, spec, f"{field}.evaluators[{i}]")
            for i, spec in enumerate(choice.evaluators)
        )
        self._found.unique(((f"{field}.evaluators[{i}]", str(spec)) for i, spec in enumerate(evaluators)), "evaluators")
        adapter = self._known.resolve(ComponentKind.ADAPTER, choice.adapter, f"{field}.adapter")
        return replace(choice, adapter=adapter, evaluators=evaluators)

    def _unique_benchmarks(self, choices: Sequence[BenchmarkChoice]) -> None:
        named = ((f"benchmarks[{i}].name", choice.name) for i, choice in enumerate(choices) if choice.name)
        self._found.unique(named, "benchmarks")
        # Without a name of their own, the same data twice would go by the same name.
        unnamed = ((f"benchmarks[{i}]", str(choice.adapter)) for i, choice in enumerate(choices) if not choice.name)
        self._found.unique(unnamed, "benchmarks without a name")

    def _unique_entrants(self, recipes: Sequence[Recipe]) -> None:
        before = len(self._found.violations)
        self._found.unique(((f"recipes[{i}].name", recipe.name) for i, recipe in enumerate(recipes)), "recipes")
        if len(self._found.violations) > before:
            return
        # `a` in mode `b/c` and `a/b` in mode `c` would both be `a/b/c` in the report.
        entrants = (
            (f"recipes[{i}].query[{j}].name", str(Entrant(recipe.name, mode)))
            for i, recipe in enumerate(recipes)
            for j, mode in enumerate([Entrant.of(recipe, mode).mode for mode in recipe.modes])
            if mode not in [earlier.name for earlier in recipe.query[:j]]
        )
        self._found.unique(entrants, "entrants")
