"""Judging models in a report: what they took, and how far they agree with people."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.report import EvaluationReport
from bakeoff.domain.score import Outcome, Score
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.judging_tables import agreement, judging, judging_notes
from bakeoff.reporting.load import dump_report, load_report
from bakeoff.reporting.material import CaseOutcome, Material
from bakeoff.reporting.text import render_text
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate

METRIC = "hit@1"
UNREAD = Failure(FailureKind.JUDGE, "1 of 1 judgements cannot be read: hm")
TOOK = {"judge_answers": 2, "judge_stored": 1, "judge_calls": 1, "judge_tokens_in": 10, "judge_tokens_out": 3}
RATED: list[tuple[float | None, object]] = [(1, 1), (2, 1), (4, 4), (5, 5), (None, 2), (3, None), (3, "nine")]
"""What the judge says and what people say, on a scale from 1 to 5."""


def judged(*, labels: bool = True) -> Material:
    """Return the material of a report whose one metric a model has judged."""
    cases = [a_case(f"c{number}") for number in range(len(RATED))]
    request = a_request(recipes=[a_recipe("a", answer="extractive")])
    found = evaluate(request, cases, lambda entrant, case: an_answer(case.case_id), methods=["hit(k=1)"])
    material = gather(found.plan, found.context)
    (benchmark,) = material.benchmarks
    (entrant,) = benchmark.entrants
    outcomes = tuple(_judged(each, *rated, labels) for each, rated in zip(entrant.outcomes, RATED, strict=True))
    cards = (replace(benchmark.metrics[0], prompt="ab" * 32),)
    told = replace(benchmark, metrics=cards, entrants=(replace(entrant, outcomes=outcomes),))
    return replace(material, benchmarks=(told,))


def _judged(outcome: CaseOutcome, rating: float | None, person: object, labels: bool) -> CaseOutcome:
    details: dict[str, object] = {"rating": rating, "votes": [rating], "inconsistent": 1, **TOOK, "judge_cost": 0.25}
    if labels:
        details["level"] = "ordinal"
        if isinstance(person, str):
            details["bad_label"] = person
        elif person is not None:
            details["person"] = person
    score = (
        Score(METRIC, Outcome.FAILED, failure=UNREAD) if rating is None else Score(METRIC, Outcome.SCORED, rating / 5)
    )
    return replace(outcome, scores=(score,), details={METRIC: details})


def reported(*, labels: bool = True) -> EvaluationReport:
    return assemble(judged(labels=labels))


def test_what_judging_took_stands_apart_from_what_answering_took() -> None:
    report = reported()
    (took,) = report.run.judging
    assert (took.judged, took.failures, took.order_dependent) == (7, 1, 7)
    assert (took.answers, took.stored, took.calls) == (14, 7, 7)
    assert (took.tokens_in, took.tokens_out, took.cost) == (70, 21, 7 * 0.25)
    assert took.prompt == "ab" * 32
    assert report.run.usage == {}


def test_agreement_is_over_the_cases_that_both_have_rated_and_counts_the_others() -> None:
    (found,) = reported().agreements
    assert (found.cases, found.only_judge, found.only_people) == (4, 2, 1)
    assert (found.judge_failures, found.bad_labels) == (1, 1)
    assert found.share == 0.75
    # Judge 1 2 4 5, people 1 1 4 5: chance agrees on (1·2 + 1·1 + 1·1) / 16 of them.
    assert found.kappa == pytest.approx((0.75 - 0.25) / (1 - 0.25))
    # Squared distances: 1 seen; 4 · 1 / Σ over all pairs (0+0+9+16 + 1+1+4+9 + 9+9+0+1 + 16+16+1+0 = 92).
    assert found.weighted_kappa == pytest.approx(1 - 4 * 1 / 92)


def test_without_labels_there_is_no_agreement_and_without_a_judge_nothing_at_all() -> None:
    assert reported(labels=False).agreements == ()
    material = judged()
    plain = replace(
        material,
        benchmarks=tuple(
            replace(each, metrics=tuple(replace(card, prompt="") for card in each.metrics))
            for each in material.benchmarks
        ),
    )
    report = assemble(plain)
    assert (report.agreements, report.run.judging) == ((), ())
    assert "judging took" not in render_text(report)


def test_the_report_is_read_back_and_shows_both() -> None:
    report = reported()
    assert load_report(dump_report(report)) == report
    text = render_text(report)
    assert "what judging took:" in text
    assert "judge and people:" in text
    assert judging(report).rows[0][:4] == (METRIC, "a", "7", "1")
    assert agreement(report).rows[0][2:4] == ("4", "0.7500")
    notes = judging_notes(report)
    assert any("1 label that" in note for note in notes)
    assert any("no rating for 1 of the cases" in note for note in notes)


def test_agreement_is_a_part_of_the_digest_and_what_judging_took_is_not() -> None:
    assert reported().digest != reported(labels=False).digest
    material = judged()
    (benchmark,) = material.benchmarks
    (entrant,) = benchmark.entrants
    dearer = tuple(
        replace(each, details={METRIC: {**each.details[METRIC], "judge_cost": 9.0}})  # type: ignore[dict-item]
        for each in entrant.outcomes
    )
    other = replace(benchmark, entrants=(replace(entrant, outcomes=dearer),))
    assert assemble(replace(material, benchmarks=(other,))).digest == assemble(material).digest
