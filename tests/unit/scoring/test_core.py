"""Every planned case gets every planned metric, whatever happens."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentCard, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.domain.score import MetricCard, Outcome
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import AnsweredCase, Evaluator, ScoringContext, Verdict, scored
from bakeoff.scoring.methods import Methods, make_methods
from bakeoff.scoring.registries import evaluators
from tests.builders import a_case, an_answer

CARD = MetricCard("odd", "odd", "1")
CONTEXT = ScoringContext()


@dataclass
class Odd:
    """An evaluator that raises on some cases."""

    trips_on: Sequence[str] = ()
    error: Exception = RuntimeError("the judge fell over")  # noqa: RUF009
    value: float = 0.5
    metrics: tuple[MetricCard, ...] = (CARD,)

    def not_applicable(self, case: Case) -> str:
        return ""

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        if any(each.case.case_id in self.trips_on for each in cases):
            raise self.error
        return [Verdict((scored(CARD, self.value),)) for _ in cases]


def methods(evaluator: Evaluator) -> Methods:
    return Methods(tuple(evaluator.metrics), (evaluator,))


CASES = [a_case(f"c{number}") for number in range(5)]
ANSWERS = [an_answer(case.case_id) for case in CASES]


def test_an_evaluator_that_raises_fails_only_the_cases_that_it_raises_on() -> None:
    found = score_batch(methods(Odd(trips_on=["c1", "c3"])), CASES, ANSWERS, CONTEXT)
    assert [each.scores[0].outcome.value for each in found] == ["scored", "failed", "scored", "failed", "scored"]
    assert found[1].scores[0].failure == Failure(FailureKind.JUDGE, "RuntimeError: the judge fell over")


def test_a_peer_out_of_reach_fails_no_case() -> None:
    with pytest.raises(OutOfReachError):
        score_batch(methods(Odd(["c1"], OutOfReachError("the judge's server"))), CASES, ANSWERS, CONTEXT)


def test_a_value_that_is_no_number_fails_the_case() -> None:
    found = score_batch(methods(Odd(value=float("nan"))), CASES, ANSWERS, CONTEXT)
    assert all(each.scores[0].outcome is Outcome.FAILED for each in found)
    assert "nan" in found[0].scores[0].failure.reason  # type: ignore[union-attr]


def test_a_failed_answer_fails_every_metric_that_applies() -> None:
    failure = Failure(FailureKind.MODEL, "the model said nothing")
    planned = make_methods(evaluators.load(), [ComponentSpec("ndcg"), ComponentSpec("exact_match")])
    cases = [a_case("c1"), a_case("c2", relevant=())]
    found = score_batch(planned, cases, [an_answer(case.case_id, failure=failure) for case in cases], CONTEXT)
    assert [score.failure for score in found[0].scores] == [failure, failure]
    # c2 has no judgements: nobody can be measured on it, whether the answer failed or not
    assert [score.outcome.value for score in found[1].scores] == ["not_applicable", "failed"]


def test_metrics_stand_in_the_order_of_the_plan() -> None:
    specs = [ComponentSpec.parse(text) for text in ("exact_match", "recall(k=5)", "token_f1", "ndcg(k=10)")]
    planned = make_methods(evaluators.load(), specs)
    (found,) = score_batch(planned, [a_case()], [an_answer(text="North Quay")], CONTEXT)
    assert [score.metric for score in found.scores] == ["exact_match", "recall@5", "token_f1", "ndcg@10"]
    assert [card.evaluator for card in planned.metrics][1:3] == ["recall(k=5)", 'token_f1(normaliser="squad")']


def test_the_same_method_twice_is_one_method() -> None:
    planned = make_methods(evaluators.load(), [ComponentSpec("ndcg"), ComponentSpec.parse("ndcg(k=10)")])
    assert [card.name for card in planned.metrics] == ["ndcg@10"]


def test_answers_to_other_cases_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="5 answers are not those of the 5 cases"):
        score_batch(methods(Odd()), CASES, ANSWERS[::-1], CONTEXT)


def test_batches_do_not_change_scores() -> None:
    specs = [ComponentSpec.parse(text) for text in ("ndcg(k=10)", "average_precision", "evidence_recall(k=5)")]
    planned = make_methods(evaluators.load(), specs)
    whole = score_batch(planned, CASES, ANSWERS, CONTEXT)
    single = [score_batch(planned, [case], [answer], CONTEXT)[0] for case, answer in zip(CASES, ANSWERS, strict=True)]
    assert list(whole) == single


JUDGE = {"base_url": "http://127.0.0.1:9/v1", "model": "judge"}
NEEDED: dict[str, dict[str, object]] = {
    "regex": {"pattern": "Quay"},
    "json_schema": {"schema": {"type": "object"}},
    "judge": JUDGE,
    "judge_pair": JUDGE,
    "duel": JUDGE,
    "pass_at": {"of": "exact_match"},
    "majority_vote": {"of": "exact_match"},
    "mean_of_samples": {"of": "token_f1"},
}
"""The settings of evaluators that have no default."""


@pytest.mark.parametrize("card", evaluators.load().cards(), ids=lambda card: card.name)
def test_every_evaluator_says_its_scale_and_source_and_stays_in_its_range(card: ComponentCard) -> None:
    factory = evaluators._factories[card.name]
    doc = inspect.getdoc(factory) or ""
    assert all(word in doc for word in ("Scale:", "Not applicable:", "Source:"))
    planned = make_methods(evaluators, [ComponentSpec(card.name, NEEDED.get(card.name, {}))])
    case = a_case()
    for text, found in (("North Quay", ["d1"]), ("", []), ("South Pier", ["d2", "d1"])):
        (scores,) = score_batch(planned, [case], [an_answer(text=text, found=found)], CONTEXT)
        for score, metric in zip(scores.scores, planned.metrics, strict=True):
            if score.value is None:
                assert score.reason or score.failure, "a score without a value says why"
                continue
            assert metric.minimum <= score.value <= (metric.maximum or score.value)
            assert not metric.binary or score.value in (0.0, 1.0)
