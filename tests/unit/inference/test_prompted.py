"""What no case can be told is a fault of the recipe, told once; what some lack fails those alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.prompted import Prompting
from bakeoff.inference.registries import example_retrievers
from tests.builders import a_case

CASES = [replace(a_case(f"c{number}"), metadata={"colour": "red"} if number else {}) for number in range(3)]
SHOTS = "ice_template: 'Q: {question} {hint} A: {answer}'\nprompt_template: '{examples}Q: {question}'"


def prompting(template: str = "", examples: str = "", pool: int = 2) -> Prompting:
    example_retrievers.load()
    spec = ComponentSpec.parse(examples) if examples else None
    part = AnswerPart(ComponentSpec("openai"), template=template, examples=spec)
    return Prompting.of(part, ExamplePools([a_case(f"t{number}") for number in range(pool)]))


def test_a_slot_that_no_case_fills_is_told_of_all_together() -> None:
    with pytest.raises(InvalidInputError) as caught:
        prompting("{size} {question}").check(CASES)
    (violation,) = caught.value.violations
    assert violation.problem.startswith("nothing fills the slot 'size'; known: answer, ")
    assert "c0" not in str(caught.value)


def test_a_slot_that_some_cases_fill_is_their_own_matter() -> None:
    prompting("{colour} {question}").check(CASES)


def test_a_slot_that_no_example_fills_is_told_where_examples_are_shown() -> None:
    with pytest.raises(InvalidInputError, match="nothing fills the slot 'hint'"):
        prompting(SHOTS, "random(k=1)").check(CASES)
    prompting(SHOTS).check(CASES)


def test_too_few_examples_for_every_case_are_told_once() -> None:
    with pytest.raises(InvalidInputError) as caught:
        prompting(examples="random(k=3)").check(CASES)
    assert len(caught.value.violations) == 1


def test_no_cases_lack_nothing() -> None:
    prompting("{size}", "random(k=3)").check([])


def test_the_models_system_prompt_stands_before_what_the_template_says() -> None:
    part = AnswerPart(ComponentSpec("openai"), template="Question: {question}")

    told = Prompting.of(part, ExamplePools(), system="Be brief.").tell(replace(a_case("c1"), query="Who?"), ())

    assert [(message.role, message.content) for message in told.assembled.prompt.messages] == [
        ("system", "Be brief."),
        ("user", "Question: Who?"),
    ]
