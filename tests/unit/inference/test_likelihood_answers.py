"""A recipe that weighs: what is kept, who fails, and what happens where nothing can be weighed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import CancelledItemError
from bakeoff.domain.prompt import Completion, Usage
from bakeoff.domain.recipe import AnswerPart, LikelihoodPart
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.likelihood_answers import answer_with_model
from bakeoff.inference.model_answers import Asking
from bakeoff.inference.prompted import Prompting
from bakeoff.models.asking import ModelRequest
from bakeoff.models.likelihood import Likelihood, Weighed, Weighing
from tests.builders import an_answer

CASES = [Case(f"c{n}", f"Q{n}?", Expected(value=0), metadata={"choices": ["yes", f"größer {n}"]}) for n in range(3)]
USAGE = Usage(10, 0, 0, 0.5, 1, 20.0)


class Scale:
    """Weighs every text as minus its length, in reverse order; those with a word in them fail."""

    def __init__(self, failing: str = "", none_given: str = "") -> None:
        self.texts: list[Weighing] = []
        self._failing, self._none_given = failing, none_given

    def __call__(self, texts: Sequence[Weighing], on_weighed: Callable[[int, Weighed | Failure], None]) -> str:
        self.texts = list(texts)
        if self._none_given:
            return self._none_given
        for number, text in reversed(list(enumerate(texts))):
            if self._failing and self._failing in text.context + text.continuation:
                on_weighed(number, Failure(FailureKind.MODEL, "the endpoint answered 500"))
            else:
                length = len(text.continuation)
                on_weighed(number, Weighed(Likelihood(-float(length), 1, length, length), USAGE))
        return ""


def say_yes(requests: Sequence[ModelRequest], on_answer: Callable[[int, Completion | Failure], None]) -> None:
    for number in range(len(requests)):
        on_answer(number, Completion("yes", "stop", Usage(7, 3, 0, 1.0, 1, 5.0, 2.0, 1.0)))


def answers(
    scale: Scale,
    part: LikelihoodPart | None = None,
    cases: Sequence[Case] = CASES,
    step: Callable[[], None] = lambda: None,
) -> tuple[CaseAnswer, ...]:
    prompting = Prompting.of(AnswerPart(ComponentSpec("openai")), ExamplePools())
    asking = Asking(prompting, say_yes, likelihood=part or LikelihoodPart(), weigh_all=scale)
    retrieved = [an_answer(case.case_id, found=[]) for case in cases]
    return answer_with_model(cases, retrieved, asking, step=step)


def test_likelihoods_are_kept_by_choice_with_the_lengths_of_their_texts() -> None:
    found = answers(Scale())
    assert [answer.case_id for answer in found] == ["c0", "c1", "c2"]
    assert found[1].metadata["logprobs"] == {
        "choices": [
            {"sum": -4.0, "chars": 3, "bytes": 3, "tokens": 1},  # " yes"
            {"sum": -9.0, "chars": 8, "bytes": 10, "tokens": 1},  # " größer 1": ö and ß are two bytes each
        ]
    }
    assert found[1].text is None
    assert found[1].failure is None
    assert found[1].usage == Usage(20, 0, 0, 1.0, 2, 40.0)
    assert found[1].timing.generate_ms == 40.0


def test_an_answer_is_generated_beside_them_when_that_is_asked_for() -> None:
    (answer, *_) = answers(Scale(), LikelihoodPart(generate=True))
    assert answer.text == "yes"
    assert set(answer.metadata) >= {"logprobs", "finish_reason", "prompt"}
    assert answer.usage == Usage(27, 3, 0, 2.0, 3, 45.0, 2.0, 1.0)


def test_a_text_that_could_not_be_weighed_fails_its_case_alone() -> None:
    first, second, third = answers(Scale(failing="Q1?"))
    assert (first.failure, third.failure) == (None, None)
    assert second.failure == Failure(FailureKind.MODEL, "the endpoint answered 500")


def test_a_generated_answer_stands_though_its_case_could_not_be_weighed() -> None:
    _, second, _ = answers(Scale(failing="Q1?"), LikelihoodPart(generate=True))
    assert (second.text, second.failure) == ("yes", None)
    assert second.metadata["logprobs"] == {"failure": {"kind": "model", "reason": "the endpoint answered 500"}}


def test_where_the_endpoint_weighs_nothing_answers_are_generated_and_say_so() -> None:
    for answer in answers(Scale(none_given="it knows no echo")):
        assert (answer.text, answer.failure) == ("yes", None)
        found = answer.metadata["logprobs"]
        assert isinstance(found, dict)
        assert found["fallback"] == "generation"
        assert found["failure"]["kind"] == "model"
        assert "gives no prompt log-probabilities" in found["failure"]["reason"]
        assert "it knows no echo" in found["failure"]["reason"]


def test_a_case_in_which_there_is_nothing_to_weigh_fails_before_anything_is_asked() -> None:
    scale = Scale()
    (answer,) = answers(scale, cases=[Case("c1", "Well?")])
    assert not scale.texts
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.INPUT
    assert "nothing can be weighed" in answer.failure.reason


def test_a_text_of_one_token_has_no_likelihood() -> None:
    def single(texts: Sequence[Weighing], on_weighed: Callable[[int, Weighed | Failure], None]) -> str:
        on_weighed(0, Weighed(Likelihood(0.0, 0, 4, 4), USAGE))
        return ""

    text = Case("c1", "word", metadata={"eval_type": "key1_text_score"})
    (answer,) = answers(single, cases=[text])  # type: ignore[arg-type]
    assert answer.failure is not None
    assert "single token" in answer.failure.reason


def test_weighing_can_be_stopped() -> None:
    def stop() -> None:
        raise CancelledItemError("stopped")

    with pytest.raises(CancelledItemError):
        answers(Scale(), step=stop)
