"""Rows F5, F7, F17, G7 and I3 of the replayable cases: batches, blanks and judges that failed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bakeoff.contract import object_keys
from bakeoff.contract.stored import decode, encode
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.report import EvaluationReport
from bakeoff.domain.score import CaseScores, MetricCard, Outcome, Score, ScoreBatch
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.counting import paired_value
from bakeoff.reporting.gather import gather
from bakeoff.reporting.handlers import report
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.text import render_summary, render_text
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import EVALUATION, Evaluated, evaluate

CASES = [a_case(f"c{number:02d}", answers=["Quay"]) for number in range(20)]
UNREADABLE = Failure(FailureKind.JUDGE, "the judge said 'I cannot rate this'")


def says(entrant: str, case: Case) -> CaseAnswer:
    """`strong` is right on 15 of 20, `weak` on the first 14 of these."""
    right = 15 if entrant.startswith("strong") else 14
    return an_answer(case.case_id, text="Quay" if int(case.case_id[1:]) < right else "Pier")


def evaluated(batch_cases: int = 100) -> Evaluated:
    recipes = [a_recipe(name, answer="extractive") for name in ("weak", "strong")]
    request = a_request(recipes=recipes, batch_cases=batch_cases)
    return evaluate(request, CASES, says, methods=["exact_match"])


def report_of(found: Evaluated) -> EvaluationReport:
    return assemble(gather(found.plan, found.context))


def rescored(found: Evaluated, change: object) -> None:
    """Store each batch of scores anew, changed by `change(batch)`."""
    for fact in found.context.facts(Stage.SCORE):
        assert fact.result is not None
        batch = change(decode(found.context.objects.read(fact.result), ScoreBatch))  # type: ignore[operator]
        ref = found.context.objects.create(f"changed/{fact.item}", encode(batch)).ref
        found.context.known[(Stage.SCORE, fact.item)] = replace(fact, result=ref)


def judge_failed(batch: ScoreBatch, entrant: str, cases: set[str]) -> ScoreBatch:
    if not batch.entrant.startswith(entrant):
        return batch
    failed = Score("exact_match", Outcome.FAILED, failure=UNREADABLE)
    return replace(
        batch,
        cases=tuple(CaseScores(case.case_id, (failed,)) if case.case_id in cases else case for case in batch.cases),
    )


def test_row_f5_what_was_answered_in_two_goes_is_scored_over_all() -> None:
    for each in report_of(evaluated(batch_cases=7)).entrants:
        (summary,) = each.metrics
        assert summary.planned == summary.scored == 20
    assert [each.metrics[0].mean for each in report_of(evaluated(batch_cases=7)).entrants] == [0.7, 0.75]


def test_row_f7_batches_that_are_not_all_the_cases_are_refused() -> None:
    found = evaluated(batch_cases=7)
    items = tuple(item for item in found.plan.items if not item.name.endswith("r0m0-c0000007"))
    with pytest.raises(InvalidInputError, match="cases, not 20"):
        gather(replace(found.plan, items=items), found.context)


def test_row_f17_scores_of_two_versions_of_a_scorer_are_never_mixed() -> None:
    found = evaluated()

    def newer(batch: ScoreBatch) -> ScoreBatch:
        cards = tuple(replace(card, version="2") for card in batch.metrics)
        return replace(batch, metrics=cards) if batch.entrant.startswith("strong") else batch

    rescored(found, newer)
    with pytest.raises(InvalidInputError, match=r"version 1 and exact_match.* version 2; score the evaluation anew"):
        report_of(found)


def test_row_g7_what_has_no_value_is_null_with_its_counts_and_no_nan() -> None:
    renderers.load()
    request = a_request(recipes=[a_recipe("weak", answer="extractive")])
    found = evaluate(request, [a_case("c00", answers=())], says, methods=["exact_match"])
    data = report(found.task, found.context).data

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    (summary,) = json.loads(data, parse_constant=refuse)["entrants"][0]["metrics"]
    assert summary["mean"] is None
    assert (summary["planned"], summary["not_applicable"]) == (1, 1)
    table = found.context.objects.read_key(object_keys.report(EVALUATION, "cases.csv")).decode()
    assert "the case has no gold answer" in table
    assert "nan" not in table.lower()


def test_row_i3_a_judge_that_fails_does_not_turn_the_ranking_round() -> None:
    found = evaluated()
    rescored(found, lambda batch: judge_failed(batch, "strong", {"c00", "c01", "c02", "c03"}))  # 20 % of its cases
    made = report_of(found)
    weak, strong = (each.metrics[0] for each in made.entrants)
    # The headline counts them as 0, and says so beside the mean of what was judged: 11 of 16.
    assert (strong.planned, strong.scored, strong.failed) == (20, 16, 4)
    assert (weak.mean, strong.mean, strong.mean_scored) == (0.7, 0.55, 11 / 16)
    # Of the 16 cases that were judged for both, strong has 11 and weak 10 right.
    (pair,) = made.comparisons
    assert (pair.entrant, pair.cases, pair.wins, pair.ties, pair.losses) == ("strong/full_text_search", 16, 1, 15, 0)
    assert pair.difference == pytest.approx(1 / 16)
    text = render_summary(made)
    assert "4 of 20 cases failed for strong and count as 0: 4 judge." in text
    assert "No difference is shown between strong and weak on exact_match: +0.062" in text
    assert "weak is ahead" not in render_text(made)


def test_row_i3_a_model_that_fails_loses_to_one_that_answers() -> None:
    silent = Score("m", Outcome.FAILED, failure=Failure(FailureKind.MODEL, "it said nothing"))
    unread = Score("m", Outcome.FAILED, failure=UNREADABLE)
    absent = Score("m", Outcome.NOT_APPLICABLE, reason="there is no gold answer")
    card, half = MetricCard("m", "", ""), Score("m", Outcome.SCORED, 0.5)
    assert [paired_value(score, card) for score in (silent, unread, absent, half)] == [
        0.0, None, None, 0.5,
    ]  # fmt: skip
