"""Recipes that weigh choices and texts by their likelihood, and those that ask several times, through all services."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from bakeoff.client import Client
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationRequest, EvaluationState
from bakeoff.domain.recipe import AnswerPart, Continuation, LikelihoodPart, Recipe
from bakeoff.domain.report import EvaluationReport, MetricSummary
from bakeoff.embedded import Embedded
from bakeoff.reporting.load import load_report
from bakeoff.runtime.settings import Settings
from tests.e2e.likelihood_model import NEW, REPEATED, LikelihoodEndpoint, a_likelihood_endpoint

CASES = 8
BY_WORDS, BY_LIKELIHOOD = ComponentSpec("choice_accuracy"), ComponentSpec("likelihood_choice")


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    settings = Settings(allow_private_addresses=True)
    with Embedded(tmp_path_factory.mktemp("platform"), settings) as platform:
        yield platform


@pytest.fixture
def endpoint() -> Iterator[LikelihoodEndpoint]:
    with a_likelihood_endpoint() as endpoint:
        yield endpoint


@pytest.fixture
def mute() -> Iterator[LikelihoodEndpoint]:
    with a_likelihood_endpoint(echoes=False) as endpoint:
        yield endpoint


def rows(path: Path, eval_type: str, rows: Sequence[Mapping[str, object]], *methods: ComponentSpec) -> BenchmarkChoice:
    path.write_text("".join(json.dumps({"id": f"r{number}", **row}) + "\n" for number, row in enumerate(rows)))
    settings = {"path": str(path), "eval_type": eval_type, "keys": {key: key for key in rows[0]}}
    return BenchmarkChoice(ComponentSpec("rows", settings), name=eval_type, evaluators=methods)


def choices(folder: Path, *methods: ComponentSpec, wrong: int = 0) -> BenchmarkChoice:
    """Return questions whose second choice is said in them; of the first so many the third one is right."""
    asked = [
        {
            "question": f'Say "word{number}" please',
            "choices": [f"other{number}", f"word{number}", f"third{number}"],
            "label": 2 if number < wrong else 1,
        }
        for number in range(CASES)
    ]
    return rows(folder / "rows.jsonl", "key3_q_choices_a", asked, *methods)


def a_recipe(endpoint: LikelihoodEndpoint, **part: object) -> Recipe:
    settings = {"base_url": endpoint.base_url, "model": "scripted", "stream": False, "price_in": 1.0, "price_out": 2.0}
    return Recipe("it", answer=AnswerPart(ComponentSpec("openai", settings), **part))  # type: ignore[arg-type]


def evaluate(platform: Embedded, benchmark: BenchmarkChoice, *recipes: Recipe, key: str) -> EvaluationReport:
    request = EvaluationRequest("likelihoods", (benchmark,), recipes, idempotency_key=key)
    with Client(platform.address) as client:
        evaluation_id = client.submit(request)[0].evaluation_id
        *_, last = client.watch(evaluation_id)
        assert last.state is EvaluationState.COMPLETED, last.reason
        return load_report(b"".join(client.report_file(evaluation_id, "json")))


def metrics(report: EvaluationReport) -> Mapping[str, MetricSummary]:
    (entrant,) = report.entrants
    return {metric.metric: metric for metric in entrant.metrics}


def test_choices_are_ranked_by_their_likelihood_and_nothing_is_generated(
    platform: Embedded, endpoint: LikelihoodEndpoint, tmp_path: Path
) -> None:
    benchmark = choices(tmp_path, BY_LIKELIHOOD, BY_WORDS, wrong=2)
    report = evaluate(platform, benchmark, a_recipe(endpoint, likelihood=LikelihoodPart()), key="choices")
    found = metrics(report)
    assert found["likelihood_choice_acc"].mean == pytest.approx((CASES - 2) / CASES)
    assert found["likelihood_choice_acc"].scored == CASES
    assert found["choice_accuracy"].not_applicable == CASES, "it makes no answers"
    assert not endpoint.asked
    assert len(endpoint.weighed) == 3 * CASES
    assert 'Question:\nSay "word0" please\n\nAnswer: word0' in endpoint.weighed
    (usage,) = report.run.usage.values()
    assert (usage["asked"], usage["calls"], usage["stored"]) == (CASES, 3 * CASES, 0)
    # every prompt has "Question: Say word please Answer: <choice>", six tokens
    assert usage["tokens_in"] == 3 * CASES * 6
    assert usage["cost"] == pytest.approx(3 * CASES * 6 / 1e6)

    again = evaluate(platform, benchmark, a_recipe(endpoint, likelihood=LikelihoodPart()), key="choices again")
    assert len(endpoint.weighed) == 3 * CASES, "what was weighed is not weighed again"
    assert metrics(again) == found
    (usage,) = again.run.usage.values()
    assert (usage["calls"], usage["stored"]) == (0, CASES)


def test_letters_answers_and_mutual_information_side_by_side(
    platform: Embedded, endpoint: LikelihoodEndpoint, tmp_path: Path
) -> None:
    part = LikelihoodPart(Continuation.LETTER, unconditional="Answer:", generate=True)
    mutual = ComponentSpec("likelihood_choice", {"mutual_info": True})
    found = metrics(
        evaluate(platform, choices(tmp_path, mutual, BY_WORDS), a_recipe(endpoint, likelihood=part), key="all")
    )
    # The letter A stands in the instruction, "(e.g., A)", but not by itself: all three are new, and the first is taken.
    assert found["likelihood_choice_acc"].mean == 0.0
    assert found["likelihood_choice_acc_mutual_info"].scored == CASES
    assert found["choice_accuracy"].mean == 1.0
    assert {prompt.rpartition("Answer:")[2] for prompt in endpoint.weighed} == {" A", " B", " C"}
    assert {"Answer: A", "Answer: B", "Answer: C"} <= set(endpoint.weighed)
    assert len(endpoint.asked) == CASES


def test_a_template_for_each_label_is_weighed_as_whole_prompts(
    platform: Embedded, endpoint: LikelihoodEndpoint, tmp_path: Path
) -> None:
    template = "\n".join(
        [
            "prompt_template:",
            '  A: "{question} He says {A} to you."',
            '  B: "{question} He says {B} to you."',
            '  C: "{question} He says {C} to you."',
        ]
    )
    recipe = a_recipe(endpoint, template=template, likelihood=LikelihoodPart())
    found = metrics(evaluate(platform, choices(tmp_path, BY_LIKELIHOOD), recipe, key="labels"))
    assert found["likelihood_choice_acc"].mean == 1.0
    assert 'Say "word0" please He says third0 to you.' in endpoint.weighed


def test_an_endpoint_without_likelihoods_is_told_and_answers_are_generated_under_their_own_name(
    platform: Embedded, mute: LikelihoodEndpoint, tmp_path: Path
) -> None:
    benchmark = choices(tmp_path, BY_LIKELIHOOD, BY_WORDS)
    report = evaluate(platform, benchmark, a_recipe(mute, likelihood=LikelihoodPart()), key="mute")
    found = metrics(report)
    assert found["choice_accuracy"].mean == 1.0, "scored by what was generated"
    assert (found["likelihood_choice_acc"].failed, found["likelihood_choice_acc"].scored) == (CASES, 0)
    (group,) = report.run.failures
    assert (group.kind, group.cases) == ("model", CASES)
    assert "gives no prompt log-probabilities" in group.reason
    assert len(mute.weighed) <= 2, "it is not asked for all of them"
    assert len(mute.asked) == CASES


def test_a_text_that_cannot_be_weighed_fails_its_case_alone(
    platform: Embedded, endpoint: LikelihoodEndpoint, tmp_path: Path
) -> None:
    texts = [{"text": "a b a b"}, {"text": "this is too long"}, {"text": "a a a"}]
    methods = [
        ComponentSpec("key1_text_score", {"mode": "official"}),
        ComponentSpec("perplexity", {"of": "text", "per": "word"}),
        ComponentSpec("bits_per_byte"),
    ]
    benchmark = rows(tmp_path / "rows.jsonl", "key1_text_score", texts, *methods)
    report = evaluate(platform, benchmark, a_recipe(endpoint, likelihood=LikelihoodPart()), key="texts")
    found = metrics(report)
    sums = (NEW + 2 * REPEATED, 2 * REPEATED)
    by_token = [math.exp(-sums[0] / 3), math.exp(-sums[1] / 2)]
    by_word = [math.exp(-sums[0] / 4), math.exp(-sums[1] / 3)]
    bits = [-sums[0] / 7 / math.log(2), -sums[1] / 5 / math.log(2)]
    official, words, bytes_ = found.values()
    assert official.mean_scored == pytest.approx(sum(by_token) / 2)
    assert words.mean_scored == pytest.approx(sum(by_word) / 2)
    assert bytes_.mean_scored == pytest.approx(sum(bits) / 2)
    assert {metric.failed for metric in found.values()} == {1}
    (group,) = report.run.failures
    assert "too long" in group.reason


def test_the_better_of_two_texts(platform: Embedded, endpoint: LikelihoodEndpoint, tmp_path: Path) -> None:
    pairs = [
        {"question": 'Say "yes" please', "better": "yes", "rejected": "rather not"},
        {"question": 'Say "no" please', "better": "surely", "rejected": "no"},
    ]
    methods = [ComponentSpec("key3_q_a_rejected", {"mode": mode}) for mode in ("official", "strict")]
    benchmark = rows(tmp_path / "rows.jsonl", "key3_q_a_rejected", pairs, *methods)
    found = metrics(evaluate(platform, benchmark, a_recipe(endpoint, likelihood=LikelihoodPart()), key="pairs"))
    assert [metric.mean for metric in found.values()] == [0.5, 0.5]


def test_several_samples_are_scored_by_any_method(
    platform: Embedded, endpoint: LikelihoodEndpoint, tmp_path: Path
) -> None:
    over = {"of": "choice_accuracy"}
    methods = [
        ComponentSpec("pass_at", {**over, "k": 2}),
        ComponentSpec("majority_vote", over),
        ComponentSpec("mean_of_samples", over),
    ]
    found = metrics(
        evaluate(platform, choices(tmp_path, *methods, wrong=2), a_recipe(endpoint, samples=3), key="samples")
    )
    assert list(found) == ["choice_accuracy_pass@2", "choice_accuracy_majority", "choice_accuracy_mean_of_samples"]
    assert {metric.mean for metric in found.values()} == {(CASES - 2) / CASES}
    assert len(endpoint.asked) == 3 * CASES
