"""Several samples of an answer, each scored by another evaluator, and the figure that is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.score import CaseScores, MetricCard
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, failed, scored
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.one_by_one import OneByOne, every_case
from bakeoff.scoring.over_samples import Method, OverSamples
from bakeoff.scoring.registries import evaluators
from tests.builders.scoring import a_choice_case

PARIS = Case("c1", "The capital?", Expected(("Paris",)))
SUM = Case("c1", "2 + 2?", Expected(("4",)))


def scores(method: str, case: Case, samples: Sequence[str]) -> CaseScores:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method)])
    several = tuple(samples) if len(samples) > 1 else ()
    answer = CaseAnswer(case.case_id, text=samples[0], samples=several)
    (found,) = score_batch(planned, [case], [answer], ScoringContext())
    return found


def value(method: str, case: Case, samples: Sequence[str]) -> float | None:
    return scores(method, case, samples).scores[0].value


@pytest.mark.parametrize(
    ("k", "expected"),
    [(1, 2 / 4), (2, 1 - 1 / 6), (3, 1.0)],  # C(2,2)/C(4,2): both that are drawn are wrong
)
def test_pass_at_k_counts_the_samples_that_an_evaluator_finds_right(k: int, expected: float) -> None:
    found = scores(f'pass_at(k={k}, of="exact_match")', PARIS, ["Paris", "Rome", "paris.", "Bern"])
    assert found.scores[0].metric == f"exact_match_pass@{k}"
    assert found.scores[0].value == pytest.approx(expected)
    assert found.details[f"exact_match_pass@{k}"] == {"samples": 4, "right": 2}


def test_a_sample_that_cannot_be_read_is_wrong_and_fails_nothing() -> None:
    assert value('pass_at(of="gsm8k(mode=flexible)")', SUM, ["It is 4", "no idea"]) == 0.5
    assert value('mean_of_samples(of="gsm8k(mode=flexible)")', SUM, ["It is 4", "no idea"]) == 0.5


def test_fewer_samples_than_k_are_no_estimate() -> None:
    (score,) = scores('pass_at(k=3, of="exact_match")', PARIS, ["Paris", "Rome"]).scores
    assert score.failure is not None
    assert "pass@3 needs at least 3 samples, and the recipe asks for 2" in score.failure.reason


def test_a_recipe_that_asks_for_one_sample_has_that_one() -> None:
    assert value('pass_at(of="exact_match")', PARIS, ["Paris"]) == 1.0


def test_a_share_of_the_samples_must_be_right() -> None:
    samples = ["Paris", "Paris", "Rome"]
    # of the three pairs one is right twice
    assert value('pass_at(k=2, share=1.0, of="exact_match")', PARIS, samples) == pytest.approx(1 / 3)
    assert value('pass_at(k=2, share=0.5, of="exact_match")', PARIS, samples) == 1.0


def test_the_mean_over_samples_takes_any_score() -> None:
    assert value('mean_of_samples(of="token_f1")', PARIS, ["Paris", "Paris France", "Rome"]) == pytest.approx(
        (1 + 2 / 3 + 0) / 3
    )


@pytest.mark.parametrize(
    ("by", "of", "case", "samples", "expected"),
    [
        ("text", "exact_match", PARIS, ["Rome", "Paris", "the paris."], 1.0),
        ("text", "exact_match", PARIS, ["Rome", "Paris"], 0.0),  # a tie: the first
        ("number", "gsm8k(mode=flexible)", SUM, ["so 5", "it is 4.0", "2 + 2 = 4"], 1.0),
        ("number", "gsm8k(mode=flexible)", SUM, ["nothing", "it is 4"], 1.0),  # no number, no vote
        (
            "statement",
            "choice_accuracy",
            a_choice_case(),
            ["The answer is B", "A", "Let me see. The answer is B."],
            1.0,
        ),
    ],
)
def test_the_majority_is_scored(by: str, of: str, case: Case, samples: list[str], expected: float) -> None:
    assert value(f'majority_vote(by="{by}", of="{of}")', case, samples) == expected


def test_a_majority_that_cannot_be_read_failed_as_a_single_answer_does() -> None:
    (score,) = scores('majority_vote(by="number", of="gsm8k(mode=flexible)")', SUM, ["nothing", "nothing"]).scores
    assert score.failure is not None
    assert score.failure.kind is FailureKind.PARSE


def test_equal_samples_are_scored_once_and_counted_as_often_as_they_are() -> None:
    seen: list[str] = []

    def judge(each: AnsweredCase) -> Verdict:
        seen.append(each.answer.text or "")
        return Verdict((scored(card, float(each.answer.text == "Paris")),))

    card = Method.of("exact_match").card
    made = evaluators.load().make(ComponentSpec.parse('mean_of_samples(of="exact_match")'))
    assert isinstance(made, OverSamples)
    counting = OverSamples(made.card, Method(OneByOne((card,), every_case, judge), card), made.figure)
    answer = CaseAnswer("c1", text="Paris", samples=("Paris", "Paris", "Rome"))
    (verdict,) = counting.score([AnsweredCase(PARIS, answer)], ScoringContext())
    assert seen == ["Paris", "Rome"]
    assert verdict.scores[0].value == pytest.approx(2 / 3)


def test_a_sample_that_could_not_be_scored_leaves_the_figure_unknown() -> None:
    card = Method.of("exact_match").card
    gone = Failure(FailureKind.INFRASTRUCTURE, "there is no sandbox")
    made = evaluators.load().make(ComponentSpec.parse('pass_at(of="exact_match")'))
    assert isinstance(made, OverSamples)
    broken = OneByOne((card,), every_case, lambda each: Verdict((failed(card.name, gone),)))
    counting = OverSamples(made.card, Method(broken, card), made.figure)
    (verdict,) = counting.score([AnsweredCase(PARIS, CaseAnswer("c1", text="x"))], ScoringContext())
    assert verdict.scores[0].failure == gone


@pytest.mark.parametrize(
    ("method", "error", "problem"),
    [
        ('pass_at(of="exact_mach")', NotFoundError, "exact_match"),
        ('pass_at(of="token_f1")', InvalidInputError, "right or wrong"),
        ('pass_at(of="pass_at(of=exact_match)")', InvalidInputError, "judges no single answer"),
        ('pass_at(of="recall(k=5)")', InvalidInputError, "judges no single answer"),
        ('mean_of_samples(of="likelihood_choice")', InvalidInputError, "likelihood_choice_acc_norm"),
        ('mean_of_samples(of="exact_match", metric="f1")', InvalidInputError, "exact_match"),
        ('majority_vote(of="exact_match(normalizer=squad)")', InvalidInputError, "normaliser"),
    ],
)
def test_what_cannot_score_samples_is_told_when_it_is_named(method: str, error: type[Exception], problem: str) -> None:
    with pytest.raises(error) as raised:
        evaluators.load().make(ComponentSpec.parse(method))
    assert problem in str(raised.value)


def test_the_version_of_a_figure_has_that_of_the_method_beneath_it() -> None:
    (card,) = make_methods(evaluators.load(), [ComponentSpec.parse("pass_at(of=exact_match)")]).metrics
    assert card.version == f"{evaluators.card('pass_at').version}+{evaluators.card('exact_match').version}"


def test_what_judging_the_samples_took_stands_in_the_details_under_the_metrics_own_name() -> None:
    inner = MetricCard("judge_clarity", "", "", needs_answer=True, prompt="a" * 64)

    def judge(each: AnsweredCase) -> Verdict:
        told = {"rating": 4.0, "inconsistent": 0, "judge_answers": 2, "judge_calls": 3, "judge_cost": None}
        return Verdict((scored(inner, 0.75),), {"judge_clarity": told})

    method = Method(OneByOne((inner,), every_case, judge), inner)
    card = replace(inner, name="judge_clarity_mean_of_samples")
    mean = OverSamples(card, method, lambda case, texts, scores: (0.75, {"samples": len(texts)}))
    (verdict,) = mean.score(
        [AnsweredCase(PARIS, CaseAnswer("c1", text="a", samples=("a", "b", "a")))], ScoringContext()
    )
    # Two different samples were judged; the third is one of them.
    assert verdict.details == {
        card.name: {"samples": 3, "inconsistent": 0, "judge_answers": 4, "judge_calls": 6, "judge_cost": None}
    }


def test_a_method_without_a_judge_tells_nothing_of_judging() -> None:
    found = scores('mean_of_samples(of="exact_match")', PARIS, ["Paris", "Rome"])
    assert found.details == {"exact_match_mean_of_samples": {"samples": [1.0, 0.0]}}
