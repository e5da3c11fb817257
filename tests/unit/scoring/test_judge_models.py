"""Evaluators that ask a judging model: what it is asked with, what is asked again, and what is told of it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import jsonschema
import pytest

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Completion, Usage
from bakeoff.domain.score import CaseScores, Outcome
from bakeoff.models.asking import ModelRequest
from bakeoff.models.choice import ModelChoice
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.judge_models import OpenedModels, Outcomes, with_schema
from bakeoff.scoring.methods import Methods, make_methods
from bakeoff.scoring.registries import evaluators
from tests.builders import a_case, a_passage, an_answer

evaluators.load()
WHERE = {"base_url": "http://127.0.0.1:9/v1", "model": "judge"}
Says = Callable[[str, int], str | Failure]
"""What is said to what is asked first, as that sample."""


@dataclass
class Model:
    """A model that says what a function says, and keeps what it was asked."""

    says: Says
    batches: list[list[ModelRequest]] = field(default_factory=list)
    schemas: list[Json | None] = field(default_factory=list)

    def __call__(self, choice: ModelChoice, requests: Sequence[ModelRequest], schema: Json | None) -> Outcomes:
        self.batches.append(list(requests))
        self.schemas.append(schema)
        return [self._outcome(each) for each in requests]

    def _outcome(self, request: ModelRequest) -> Completion | Failure:
        said = self.says(request.prompt.messages[1].content, request.sample)
        usage = Usage(tokens_in=10, tokens_out=2, cost=0.5)
        return said if isinstance(said, Failure) else Completion(said, "stop", usage)


def methods(name: str, **settings: object) -> Methods:
    return make_methods(evaluators, [ComponentSpec(name, {**WHERE, **settings})])


def judged(
    model: Model | None,
    name: str,
    cases: Sequence[Case],
    answers: Sequence[CaseAnswer],
    context: ScoringContext | None = None,
    **settings: object,
) -> list[CaseScores]:
    context = replace(context or ScoringContext(), models=model)
    return list(score_batch(methods(name, **settings), cases, answers, context))


def score(value: int) -> str:
    return json.dumps({"reasoning": "so", "score": value})


def verdict(value: bool) -> str:
    return json.dumps({"reasoning": "so", "verdict": value})


CASES = [replace(a_case(f"c{number}"), query=f"question {number}") for number in range(4)]
ANSWERS = [an_answer(f"c{number}", text=f"answer {number}") for number in range(4)]


def test_all_cases_of_a_batch_are_asked_at_once_and_only_what_could_not_be_read_again() -> None:
    def says(told: str, sample: int) -> str:
        return "hm" if "question 2" in told else score(4)

    model = Model(says)
    found = judged(model, "judge", CASES, ANSWERS, rubric="answer_relevance")
    assert [len(batch) for batch in model.batches] == [4, 1]
    assert [each.scores[0].value for each in found] == [0.75, 0.75, None, 0.75]
    assert found[2].scores[0].failure is not None
    assert found[2].scores[0].failure.kind is FailureKind.JUDGE
    assert found[2].details["judge_answer_relevance"]["judge_cost"] == 1.0  # type: ignore[index]  # asked twice


def test_an_endpoint_that_fails_on_one_case_fails_it_alone() -> None:
    trouble = Failure(FailureKind.MODEL, "the endpoint broke off")
    found = judged(
        Model(lambda told, sample: trouble if "question 1" in told else verdict(True)), "judge", CASES, ANSWERS
    )
    assert [each.scores[0].outcome for each in found] == [
        Outcome.SCORED,
        Outcome.FAILED,
        Outcome.SCORED,
        Outcome.SCORED,
    ]
    assert found[1].scores[0].failure is not None
    assert "the endpoint broke off" in found[1].scores[0].failure.reason
    assert found[1].scores[0].failure.kind is FailureKind.JUDGE


@pytest.mark.parametrize(
    ("aggregate", "value"), [("median", 0.75), ("mean", (2 + 4 + 4 + 5 - 4) / 16), ("majority", 0.75)]
)
def test_votes_are_samples_with_seeds_of_their_own_and_go_together_as_declared(aggregate: str, value: float) -> None:
    model = Model(lambda told, sample: score([2, 4, 4, 5][sample]))
    settings: dict[str, Any] = {"rubric": "helpfulness", "votes": 4, "temperature": 0.7, "aggregate": aggregate}
    (found,) = judged(model, "judge", CASES[:1], ANSWERS[:1], **settings)
    assert found.scores[0].value == value
    (batch,) = model.batches
    assert [each.sample for each in batch] == [0, 1, 2, 3]
    assert len({each.seed for each in batch}) == 4


def test_seeds_depend_on_the_evaluations_seed_and_the_case_alone() -> None:
    def seeds(cases: Sequence[Case], answers: Sequence[CaseAnswer], seed: int) -> dict[str, int | None]:
        model = Model(lambda told, sample: verdict(True))
        judged(model, "judge", cases, answers, ScoringContext(seed=seed))
        return {each.prompt.messages[-1].content: each.seed for each in model.batches[0]}

    whole, part, other = seeds(CASES, ANSWERS, 1), seeds(CASES[2:], ANSWERS[2:], 1), seeds(CASES, ANSWERS, 2)
    assert part.items() <= whole.items()
    assert not set(whole.values()) & set(other.values())


@pytest.mark.parametrize(
    ("rubric", "shown", "hidden"),
    [
        ("correctness", ["question 0", "answer 0", "[reference answer"], ["[passage"]),
        ("faithfulness", ["question 0", "answer 0", "[passage 1", "the gauge"], ["[reference answer"]),
        ("answer_relevance", ["question 0", "answer 0"], ["[reference answer", "[passage"]),
    ],
)
def test_a_rubric_shows_what_it_judges_by_and_nothing_else(rubric: str, shown: list[str], hidden: list[str]) -> None:
    model = Model(lambda told, sample: "{}")
    answer = replace(ANSWERS[0], passages=(a_passage("d1", text="the gauge"), a_passage("d2", text="The  gauge")))
    judged(model, "judge", CASES[:1], [answer], rubric=rubric)
    told = model.batches[0][0].prompt.messages[-1].content
    assert all(each in told for each in shown)
    assert not any(each in told for each in hidden)
    assert "[passage 2" not in told, "the same passage twice is one"


def test_what_a_case_brings_is_shown_where_correctness_is_judged() -> None:
    model = Model(lambda told, sample: verdict(True))
    case = replace(CASES[0], metadata={"contexts": ["the gauge is red"]})
    judged(model, "judge", [case], ANSWERS[:1])
    assert "the gauge is red" in model.batches[0][0].prompt.messages[-1].content


def test_every_built_in_prompt_asks_for_what_is_read() -> None:
    for name in ("correctness", "faithfulness", "answer_relevance", "helpfulness"):
        model = Model(lambda told, sample: verdict(True) if '"verdict"' in told else score(5))
        answer = replace(ANSWERS[0], passages=(a_passage("d1", text="the gauge"),))
        (found,) = judged(model, "judge", CASES[:1], [answer], rubric=name)
        assert found.scores[0].value == 1.0
        (schema,) = model.schemas
        assert schema is not None
        jsonschema.validate(json.loads(model._outcome(model.batches[0][0]).text), schema)  # type: ignore[union-attr]


def test_a_prompt_of_ones_own_shows_what_it_has_slots_for() -> None:
    model = Model(lambda told, sample: verdict(True))
    prompt = "{question}{references}{answer}Only {{this}}: {form}"
    judged(model, "judge", CASES[:1], ANSWERS[:1], prompt=prompt, criterion="Be {answer}.")
    told = model.batches[0][0].prompt.messages[-1].content
    assert "Only {this}: {" in told
    assert "[reference answer" in told
    assert "Be " not in told


def test_the_digest_of_the_prompt_is_a_part_of_the_metrics_version() -> None:
    plain, other = methods("judge").metrics[0], methods("judge", criterion="The answer rhymes.").metrics[0]
    assert plain.version == f"1+{plain.prompt[:12]}"
    assert len(plain.prompt) == 64
    assert plain.prompt != other.prompt
    # What does not change the words does not change their digest; the signature has it.
    assert methods("judge", votes=3, temperature=1).metrics[0].prompt == plain.prompt
    digests = {methods("judge", rubric=name).metrics[0].prompt for name in ("correctness", "faithfulness")}
    digests |= {
        methods("judge_pair").metrics[0].prompt,
        methods("judge", rubric="faithfulness", highest=9, lowest=1).metrics[0].prompt,
    }
    assert len(digests) == 4


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("judge", {"rubric": "truth"}, "must be one of"),
        ("judge", {"lowest": 3, "highest": 3}, "must be smaller than highest"),
        ("judge", {"highest": 3}, "give both"),
        ("judge", {"anchors": {"1": "bad"}}, "asks for yes or no"),
        ("judge", {"rubric": "faithfulness", "anchors": {"9": "superb"}}, r"\[9\] are not on the scale"),
        ("judge", {"rubric": "faithfulness", "anchors": {"good": "yes"}}, "must be whole numbers"),
        ("judge", {"prompt": "{question} {answer}"}, "must have the slot {form}"),
        ("judge", {"prompt": "{question} {answer} {form} {"}, "a lone brace"),
        ("duel", {"prompt": "{question} {answer_a} {answer} {form}"}, "did you mean 'answer_a'|'answer'"),
        ("judge", {"votes": 2}, "2 votes at temperature 0"),
        ("judge", {"base_url": "ftp://x"}, "must be an http or https address"),
        ("judge", {"parameters": {"api_key": "x"}}, "looks like a secret"),
        ("judge", {"price_in": -1}, "must be at least 0"),
    ],
)
def test_what_is_wrong_with_a_judge_is_told_when_it_is_made(
    name: str, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInputError) as error:
        methods(name, **settings)
    assert re.search(message.replace("{", r"\{").replace("}", r"\}"), str(error.value))


def test_where_no_model_can_be_asked_the_case_says_so() -> None:
    (found,) = judged(None, "judge", CASES[:1], ANSWERS[:1])
    assert found.scores[0].failure == Failure(FailureKind.INPUT, "a model is to judge, and no model can be asked here")


# --- comparisons


def longer(told: str, sample: int) -> str:
    first = told[told.index("[answer A") : told.index("[/answer A")]
    second = told[told.index("[answer B") : told.index("[/answer B")]
    return json.dumps({"reasoning": "so", "winner": "A" if len(first) > len(second) else "B"})


def test_an_answer_is_compared_with_a_column_or_the_gold_answer() -> None:
    case = replace(CASES[0], metadata={"baseline": "short"})
    answer = an_answer("c0", text="a long answer indeed, longer than the gold one")
    for against, name in (("", "win_rate_gold"), ("baseline", "win_rate_baseline")):
        model = Model(longer)
        (found,) = judged(model, "judge_pair", [case], [answer], against=against)
        assert (found.scores[0].metric, found.scores[0].value) == (name, 1.0)
        assert len(model.batches[0]) == 2, "in both orders, at once"
    (found,) = judged(Model(longer), "judge_pair", [case], [answer], against="other")
    assert found.scores[0].outcome is Outcome.NOT_APPLICABLE


def test_a_duel_leaves_out_what_the_opponent_has_not_answered() -> None:
    failure = Failure(FailureKind.MODEL, "it was down")
    others = {"a/direct": {"c0": an_answer("c0", text="x"), "c1": an_answer("c1", failure=failure)}}
    context = ScoringContext(entrant="b/direct", others=others)
    found = judged(Model(longer), "duel", CASES[:3], ANSWERS[:3], context, opponent="a/direct")
    assert [each.scores[0].outcome.value for each in found] == ["scored", "not_applicable", "not_applicable"]
    assert found[0].scores[0].value == 1.0
    assert found[1].scores[0].reason == "a/direct has no answer: it was down"
    itself = replace(context, entrant="a/direct")
    (found_itself,) = judged(Model(longer), "duel", CASES[:1], ANSWERS[:1], itself, opponent="a/direct")
    assert found_itself.scores[0].outcome is Outcome.NOT_APPLICABLE


def test_the_opponent_itself_is_left_out_also_where_it_has_failed() -> None:
    failing = [replace(ANSWERS[0], text=None, failure=Failure(FailureKind.MODEL, "it was down")), ANSWERS[1]]
    context = ScoringContext(entrant="a/direct")
    found = judged(Model(longer), "duel", CASES[:2], failing, context, opponent="a/direct")
    assert [each.scores[0].reason for each in found] == ["it is the opponent itself"] * 2
    other = judged(Model(longer), "duel", CASES[:1], failing[:1], replace(context, entrant="b"), opponent="a/direct")
    assert other[0].scores[0].outcome.value == "failed"


# --- people's ratings


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (4, {"person": 4.0}),
        ("2", {"person": 2.0}),
        (7, {"bad_label": "7"}),
        ("good", {"bad_label": "good"}),
        (None, {}),
        ({"b": 3, "a/direct": 1}, {"person": 3.0}),
        ({"b": 3, "b/direct": 1}, {"person": 1.0}),
        ({"a": 3}, {}),
    ],
)
def test_a_label_is_read_on_the_scale_for_the_entrant(label: object, expected: dict[str, object]) -> None:
    case = replace(CASES[0], metadata={"people": label})
    context = ScoringContext(entrant="b/direct")
    model = Model(lambda told, sample: score(4))
    (found,) = judged(model, "judge", [case], ANSWERS[:1], context, rubric="helpfulness", labels="people")
    details = found.details["judge_helpfulness"]
    assert isinstance(details, dict)
    assert {name: details[name] for name in ("person", "bad_label") if name in details} == expected
    assert details["level"] == "ordinal"


# --- schemas


@dataclass
class Endpoint:
    """Stands for the model client: takes a schema or not, and remembers what it has answered."""

    takes_schema: bool
    stored: dict[tuple[str, bool], Completion] = field(default_factory=dict)
    asked: list[bool] = field(default_factory=list)
    """For each request whether it had a schema."""

    def open(self, choice: ModelChoice) -> Opened:
        return Opened(self, "response_format" in choice.settings.parameters)


@dataclass
class Opened:
    endpoint: Endpoint
    structured: bool

    async def __aenter__(self) -> Opened:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Nothing is open."""

    async def recall(self, prompt: object, *, seed: int | None, sample: int) -> Completion | None:
        return self.endpoint.stored.get((repr(prompt), self.structured))

    async def ask_many(self, requests: Sequence[ModelRequest]):  # type: ignore[no-untyped-def]
        for number, each in enumerate(requests):
            await asyncio.sleep(0)
            key = (repr(each.prompt), self.structured)
            if key not in self.endpoint.stored:
                self.endpoint.asked.append(self.structured)
                if self.structured and not self.endpoint.takes_schema:
                    yield number, Failure(FailureKind.INPUT, "no such parameter: response_format")
                    continue
                self.endpoint.stored[key] = Completion(verdict(True), "stop", Usage())
            yield number, self.endpoint.stored[key]


@pytest.mark.parametrize(("takes_schema", "asked"), [(True, [True] * 4), (False, [True] + [False] * 4)])
def test_an_endpoint_that_refuses_the_schema_is_asked_without_and_neither_is_asked_twice(
    takes_schema: bool, asked: list[bool]
) -> None:
    endpoint = Endpoint(takes_schema)
    for _ in range(2):  # a new process, which does not know what the endpoint takes
        found = judged(OpenedModels(endpoint), "judge", CASES, ANSWERS)  # type: ignore[arg-type]
        assert [each.scores[0].value for each in found] == [1.0] * 4
        assert endpoint.asked == asked


def test_without_a_wish_for_a_schema_none_is_sent() -> None:
    endpoint = Endpoint(True)
    judged(OpenedModels(endpoint), "judge", CASES[:1], ANSWERS[:1], structured=False)  # type: ignore[arg-type]
    assert endpoint.asked == [False]


def test_a_schema_leaves_the_other_parameters_as_they_are() -> None:
    made = evaluators.make(ComponentSpec("judge", {**WHERE, "parameters": {"top_p": 0.5}}))
    choice = made.judges.choice  # type: ignore[attr-defined]
    asked = with_schema(choice, {"type": "object"}).settings.parameters
    assert {name: asked[name] for name in choice.settings.parameters} == dict(choice.settings.parameters)
    assert asked["response_format"]["json_schema"]["schema"] == {"type": "object"}  # type: ignore[index]
