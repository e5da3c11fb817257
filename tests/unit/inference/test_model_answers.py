"""A recipe that asks a model: what it is told, what is kept of it, and who fails when it fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import CancelledItemError, InvalidInputError
from bakeoff.domain.prompt import Completion, Usage
from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.model_answers import Asking, ask_model, seed_of, usage_of
from bakeoff.inference.prompted import Prompting, read_recipe_template
from bakeoff.inference.registries import example_retrievers
from bakeoff.models.access import ModelAccess
from bakeoff.models.asking import ModelRequest
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model_settings import ModelSettings
from bakeoff.runtime.settings import Settings
from tests.builders import a_case, a_passage, an_answer

CASES = [a_case(f"c{number}", question=f"Question {number}?", answers=[f"Answer {number}"]) for number in range(4)]
POOL = [a_case(f"t{number}", question=f"Solved {number}?", answers=[f"Gold {number}"]) for number in range(6)]
MODEL = ModelSettings("http://127.0.0.1:1/v1", "m")


class Echo:
    """A model that says the end of what it is told, in reverse order of the requests; some requests fail."""

    def __init__(self, failing: Sequence[str] = ()) -> None:
        self.requests: list[ModelRequest] = []
        self._failing = failing

    def __call__(
        self, requests: Sequence[ModelRequest], on_answer: Callable[[int, Completion | Failure], None]
    ) -> None:
        self.requests = list(requests)
        for number, request in reversed(list(enumerate(requests))):
            told = request.prompt.messages[-1].content if request.prompt.messages else request.prompt.text
            if any(word in told for word in self._failing):
                on_answer(number, Failure(FailureKind.MODEL, "the endpoint answered 500"))
            else:
                usage = Usage(10, 2, 0, 0.5, 1, 20.0, 5.0, 1.0)
                on_answer(number, Completion(f"{told[-30:]} #{request.sample}", "stop", usage))


def retrieved(with_passages: bool = True) -> list[CaseAnswer]:
    found = [a_passage("d1", text="The boat is at sea.")] if with_passages else []
    return [an_answer(case.case_id, found=found) for case in CASES]


def asking(model: Echo, part: AnswerPart | None = None, **changes: object) -> Asking:
    example_retrievers.load()
    part = part or AnswerPart(ComponentSpec("openai"))
    prompting = Prompting.of(part, ExamplePools(POOL))
    return Asking(prompting, model, samples=part.samples, passages=part.passages, **changes)  # type: ignore[arg-type]


def test_each_case_has_its_own_answer_whatever_the_order_in_which_they_come() -> None:
    answers = ask_model(CASES, retrieved(), asking(Echo()))
    assert [answer.case_id for answer in answers] == [case.case_id for case in CASES]
    assert all(f"Question {number}?" in (answer.text or "") for number, answer in enumerate(answers))
    assert {answer.metadata["finish_reason"] for answer in answers} == {"stop"}
    assert len({answer.metadata["prompt"] for answer in answers}) == len(CASES)


def test_a_request_that_fails_fails_its_case_alone() -> None:
    answers = ask_model(CASES, retrieved(), asking(Echo(failing=["Question 2?"])))
    assert [answer.failure is not None for answer in answers] == [False, False, True, False]
    assert answers[2].failure == Failure(FailureKind.MODEL, "the endpoint answered 500")


def test_a_case_that_retrieval_failed_is_not_asked() -> None:
    before = retrieved()
    before[1] = an_answer("c1", failure=Failure(FailureKind.INFRASTRUCTURE, "the search failed"))
    model = Echo()
    answers = ask_model(CASES, before, asking(model))
    assert len(model.requests) == 3
    assert answers[1] == before[1]


def test_a_template_that_does_not_fit_a_case_fails_that_case_before_it_is_asked() -> None:
    model = Echo()
    part = AnswerPart(ComponentSpec("openai"), template="{question} in {region}")
    cases = [a_case("c0", labels={"region": "Norway"}), a_case("c1")]
    answers = ask_model(cases, retrieved()[:2], asking(model, part))
    assert answers[0].failure is None
    assert answers[1].failure is not None
    assert answers[1].failure.kind is FailureKind.INPUT
    assert "region" in answers[1].failure.reason
    assert len(model.requests) == 1


def test_several_samples_have_seeds_of_their_own_and_are_all_kept() -> None:
    model = Echo()
    answers = ask_model(CASES, retrieved(), asking(model, AnswerPart(ComponentSpec("openai"), samples=3)))
    assert [len(answer.samples) for answer in answers] == [3] * 4
    assert answers[0].text == answers[0].samples[0]
    assert len({request.seed for request in model.requests}) == 12
    assert answers[0].usage == Usage(30, 6, 0, 1.5, 3, 60.0, 5.0, 1.0)


def test_prompts_and_seeds_depend_on_the_case_and_not_on_the_batch() -> None:
    part = AnswerPart(ComponentSpec("openai"), examples=ComponentSpec("random", {"k": 2}))
    whole, first, second = Echo(), Echo(), Echo()
    ask_model(CASES, retrieved(), asking(whole, part, seed=7))
    ask_model(CASES[:1], retrieved()[:1], asking(first, part, seed=7))
    ask_model(CASES[1:], retrieved()[1:], asking(second, part, seed=7), first=1)
    assert whole.requests == first.requests + second.requests


def test_examples_are_named_in_the_answer() -> None:
    part = AnswerPart(ComponentSpec("openai"), examples=ComponentSpec("fixed", {"ids": [2, 0]}))
    answers = ask_model(CASES, retrieved(), asking(Echo(), part))
    assert {tuple(answer.metadata["examples"]) for answer in answers} == {("t2", "t0")}  # type: ignore[arg-type]


def test_a_cancelled_evaluation_ends_the_asking() -> None:
    def step() -> None:
        raise CancelledItemError("cancelled")

    with pytest.raises(CancelledItemError):
        ask_model(CASES, retrieved(), asking(Echo()), step=step)


def test_what_is_not_known_of_one_answer_is_not_known_of_all() -> None:
    total = usage_of([Usage(1, 2), Usage(None, 2)])
    assert (total.tokens_in, total.tokens_out, total.attempts) == (None, 4, 2)


def test_seeds_are_what_every_endpoint_takes_and_repeat() -> None:
    seeds = [seed_of(0, f"c{number}", 0) for number in range(200)]
    assert all(0 <= seed < 2**31 - 1 for seed in seeds)
    assert len(set(seeds)) == 200
    assert seeds == [seed_of(0, f"c{number}", 0) for number in range(200)]


@pytest.mark.parametrize(
    ("text", "name"),
    [("retrieval", "retrieval"), ("Question: {question}", "the recipe's template"),
     ("prompt_template: 'Say {question}'", "the recipe's template")],
)  # fmt: skip
def test_a_template_is_a_name_or_a_text(text: str, name: str) -> None:
    assert read_recipe_template(text).name == name


def test_a_key_is_found_by_its_name_and_shown_to_nobody() -> None:
    access = ModelAccess(Settings(keys={"house": "sk-canary-0123456789"}))
    model = access.open(ModelChoice(MODEL, key="house"))
    assert "canary" not in repr(model) + repr(access.settings) + str(vars(model))
    with pytest.raises(InvalidInputError, match="BAKEOFF_KEY_OTHER") as refusal:
        access.open(ModelChoice(MODEL, key="other"))
    assert "canary" not in str(refusal.value)
