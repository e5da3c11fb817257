"""Methods that score samples by another method: it is checked and filled in as if it stood by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bakeoff.control.checking import check_request
from bakeoff.control.methods import resolve_methods
from bakeoff.control.named_components import versions
from bakeoff.control.planning import Prepared
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec, Setting
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.recipe import LikelihoodPart, Recipe
from tests.builders import a_recipe
from tests.builders import a_request as any_request
from tests.builders.component import some_cards

OVER_SAMPLES = ComponentCard(
    ComponentKind.EVALUATOR,
    "pass_at",
    "7",
    (Setting("of", "str", required=True), Setting("k", "int", 1)),
    facts={"nested": ["of"], "samples": "k"},
)
SAMPLE = ComponentCard(
    ComponentKind.EVALUATOR, "words", "3", (Setting("rule", "str", "plain", choices=("plain", "x")),)
)
ASKING = ComponentCard(ComponentKind.GENERATOR, "asking", "1", facts={"gives_likelihoods": True})
CARDS = [*some_cards(), OVER_SAMPLES, SAMPLE, ASKING]


def a_request(method: str, samples: int = 4) -> EvaluationRequest:
    choice = BenchmarkChoice(ComponentSpec("beir", {"path": "x"}), evaluators=(ComponentSpec.parse(method),))
    return replace(any_request(benchmarks=[choice]), recipes=(answering(samples),))


def answering(samples: int, generator: str = "asking") -> Recipe:
    recipe = a_recipe(answer=generator)
    assert recipe.answer is not None
    return replace(recipe, answer=replace(recipe.answer, samples=samples))


def faults(request: EvaluationRequest) -> list[str]:
    return [str(violation) for violation in check_request(request, CARDS).violations]


def test_the_inner_method_has_its_settings_filled_in_so_that_two_ways_to_say_it_are_one() -> None:
    short = check_request(a_request("pass_at(k=2, of=words)"), CARDS).request
    long = check_request(a_request('pass_at(k=2, of="words(rule=plain)")'), CARDS).request
    assert short.benchmarks == long.benchmarks
    assert short.benchmarks[0].evaluators[0].settings["of"] == 'words(rule="plain")'
    assert check_request(short, CARDS).request == short


def test_the_inner_methods_version_is_one_of_the_evaluations() -> None:
    found = versions(a_request("pass_at(k=2, of=words)"), CARDS)
    assert (found["evaluator:pass_at"], found["evaluator:words"]) == ("7", "3")


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("pass_at(of=word)", "benchmarks[0].evaluators[0].of: no evaluator is named 'word'; did you mean 'words'?"),
        ('pass_at(of="words(rule=y)")', "benchmarks[0].evaluators[0].of.rule: must be one of 'plain', 'x', not 'y'"),
        ('pass_at(of="words(")', "benchmarks[0].evaluators[0].of: 'words(' is no component"),
        ("pass_at(k=5, of=words)", "recipes[0].answer.samples: needs at least 5 samples"),
    ],
)
def test_what_is_wrong_with_it_is_told_before_anything_runs(method: str, expected: str) -> None:
    assert any(fault.startswith(expected) for fault in faults(a_request(method))), faults(a_request(method))


def test_the_methods_of_a_benchmark_itself_are_checked_as_well() -> None:
    prepared = Prepared("b", None, None, (), (ComponentSpec.parse("pass_at(k=5, of=words)"),))  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError) as raised:
        resolve_methods(a_request("words"), [prepared], CARDS)
    assert "needs at least 5 samples" in str(raised.value.violations[0])
    (resolved,), found = resolve_methods(a_request("words", samples=5), [prepared], CARDS)
    assert resolved.evaluators[0].settings["of"] == 'words(rule="plain")'
    assert found["evaluator:words"] == "3"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("template", {"template": "{question}"}),
        ("examples", {"examples": ComponentSpec("random", {"k": 1})}),
        ("samples", {"samples": 2}),
        ("likelihood", {"likelihood": LikelihoodPart()}),
    ],
)
def test_what_only_models_are_told_needs_a_generator_that_asks_one(field: str, said: dict[str, Any]) -> None:
    recipe = answering(1, "extractive")
    assert recipe.answer is not None
    telling = replace(recipe, answer=replace(recipe.answer, **said))
    found = faults(replace(a_request("words"), recipes=(telling,)))
    assert found == [
        f"recipes[0].answer.{field}: needs a generator that asks a model, such as openai; extractive asks none"
    ]
