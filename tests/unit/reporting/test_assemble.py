"""The arithmetic of a report."""

from __future__ import annotations

import math

import pytest

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.report import EvaluationReport, MetricSummary
from bakeoff.domain.score import MetricCard
from bakeoff.reporting.assemble import assemble, summarise
from bakeoff.reporting.gather import gather
from tests.builders import a_case, a_recipe, a_request, a_score, an_answer
from tests.builders.evaluated import Evaluated, evaluate

KILLED = Failure(FailureKind.INFRASTRUCTURE, "the case killed its process")
SILENT = Failure(FailureKind.MODEL, "the model said nothing")
CASES = [a_case(f"c{number:02d}", relevant=["d1"] if number else ()) for number in range(12)]
"""The first is not judged."""


def says(entrant: str, case: Case) -> CaseAnswer:
    """`good` finds everything; `poor` finds the document second, and fails on two cases."""
    if entrant.startswith("good"):
        return an_answer(case.case_id, found=["d1", "d2"])
    failures = {"c03": KILLED, "c04": SILENT}
    return an_answer(case.case_id, found=["d2", "d1"], failure=failures.get(case.case_id))


METHODS = ("reciprocal_rank", "hit(k=1)", "exact_match")


def evaluated(methods: tuple[str, ...] = METHODS, **options: object) -> Evaluated:
    failed = options.pop("failed_items", None)
    request = a_request(recipes=[a_recipe("poor"), a_recipe("good")], **options)  # type: ignore[arg-type]
    return evaluate(request, CASES, says, methods=methods, failed_items=failed)  # type: ignore[arg-type]


def report_of(found: Evaluated) -> EvaluationReport:
    return assemble(gather(found.plan, found.context))


def summary(report: EvaluationReport, entrant: str, metric: str) -> MetricSummary:
    (result,) = [each for each in report.entrants if each.recipe == entrant]
    return next(each for each in result.metrics if each.metric == metric)


def test_failed_cases_count_as_zero_and_unjudged_ones_do_not_count() -> None:
    found = summary(report_of(evaluated()), "poor", "mrr")
    assert (found.planned, found.scored, found.failed, found.not_applicable) == (12, 9, 2, 1)
    assert found.mean == pytest.approx(9 * 0.5 / 11)
    assert found.mean_scored == 0.5


def test_planned_cases_always_add_up() -> None:
    for entrant in report_of(evaluated()).entrants:
        for found in entrant.metrics:
            assert found.planned == found.scored + found.failed + found.not_applicable == 12


def test_a_failed_answer_does_not_make_a_metric_apply_that_needs_an_answer() -> None:
    found = summary(report_of(evaluated()), "poor", "exact_match")
    assert (found.failed, found.not_applicable, found.mean) == (0, 12, None)


def test_failures_are_counted_by_kind_and_their_reasons_are_kept() -> None:
    report = report_of(evaluated())
    poor = report.entrants[0]
    assert (poor.planned_cases, poor.answered_cases, poor.failed_cases) == (12, 10, 2)
    assert poor.failures == {"infrastructure": 1, "model": 1}
    assert {(group.reason, group.examples) for group in report.run.failures} == {
        (KILLED.reason, ("c03",)),
        (SILENT.reason, ("c04",)),
    }


def test_a_failed_score_item_fails_its_cases_under_every_metric() -> None:
    found = evaluated(batch_cases=4, failed_items={"score/b0-u00000-r1m0-c0000004": KILLED})
    report = report_of(found)
    good = summary(report, "good", "mrr")
    assert (good.scored, good.failed, good.not_applicable) == (7, 4, 1)
    assert report.entrants[1].failures == {"infrastructure": 4}


def test_when_nothing_was_scored_every_case_is_still_counted_as_failed() -> None:
    items = {f"score/b0-u00000-r{number}m0-c0000000": KILLED for number in (0, 1)}
    report = report_of(evaluated(failed_items=items))
    assert [(each.metric, each.failed, each.mean) for each in report.entrants[0].metrics] == [
        ("reciprocal_rank(k=null)", 12, 0.0),
        ("hit(k=1)", 12, 0.0),
        ('exact_match(normaliser="squad")', 12, 0.0),
    ]


def test_binary_metrics_have_wilsons_interval_and_others_students() -> None:
    report = report_of(evaluated())
    hit, rank = summary(report, "good", "hit@1").interval, summary(report, "poor", "mrr").interval
    assert hit is not None
    assert rank is not None
    assert (hit.method, rank.method) == ("wilson", "student_t")
    # 11 of 11: Wilson's lower end is n / (n + z²)
    assert hit.low == pytest.approx(11 / (11 + 1.959963984540054**2), abs=1e-9)


def test_a_mean_of_equal_values_has_an_interval_that_is_no_point() -> None:
    report = report_of(evaluated())
    hit, rank = summary(report, "good", "hit@1").interval, summary(report, "good", "mrr").interval
    assert hit is not None
    assert rank is not None
    assert (rank.low, rank.high) == pytest.approx((hit.low, hit.high), abs=1e-12), "both are 1 for all 11 cases"


def test_entrants_are_compared_over_the_cases_that_apply_to_both_with_failures_as_zero() -> None:
    (ranks, hits, _) = report_of(evaluated()).comparisons
    assert (ranks.entrant, ranks.baseline) == ("good/full_text_search", "poor/full_text_search")
    assert (ranks.cases, ranks.wins, ranks.ties, ranks.losses) == (11, 11, 0, 0)
    assert ranks.difference == pytest.approx((9 * 0.5 + 2 * 1.0) / 11)
    # eleven differences of one sign: 2 of 2^11 patterns are as extreme
    assert ranks.p_value == ranks.p_adjusted == 2 / 2**11
    assert hits.difference == 1.0


def test_the_p_values_of_a_metric_are_adjusted_over_all_its_pairs() -> None:
    request = a_request(recipes=[a_recipe("poor"), a_recipe("good"), a_recipe("good2")])
    found = evaluate(request, CASES, says, methods=["reciprocal_rank"])
    compared = report_of(found).comparisons
    assert [(each.entrant.split("/")[0], each.baseline.split("/")[0]) for each in compared] == [
        ("good", "poor"),
        ("good2", "poor"),
        ("good2", "good"),
    ]
    assert [each.p_adjusted for each in compared] == pytest.approx([3 * 2 / 2**11, 3 * 2 / 2**11, 1.0])


def test_more_than_twelve_entrants_are_compared_with_the_first_alone() -> None:
    request = a_request(recipes=[a_recipe(f"good{number}") for number in range(13)])
    found = evaluate(request, CASES[:3], says, methods=["reciprocal_rank"])
    compared = report_of(found).comparisons
    assert len(compared) == 12
    assert {each.baseline for each in compared} == {"good0/full_text_search"}


def test_a_knowledge_base_that_was_not_built_is_in_the_report() -> None:
    plan = evaluated().plan
    (build,) = [item.name for item in plan.items if item.name.startswith("build/")]
    (base,) = report_of(evaluated(failed_items={build: KILLED})).knowledge_bases
    assert (base.failed, base.chunks, base.documents) == (True, 0, 0)


def test_everything_that_made_the_numbers_is_named() -> None:
    report = report_of(evaluated())
    assert {"pytrec_eval-terrier", "numpy", "scipy", "bakeoff", "python", "bm25s", "evaluator:hit"} <= set(
        report.versions
    )
    assert {name.partition(":")[0] for name in report.digests} == {"benchmark", "kb", "cases"}


def test_items_that_do_not_cover_the_planned_cases_are_refused() -> None:
    found = evaluated(batch_cases=4)
    short = [item for item in found.plan.items if "c0000004" not in item.task.item]
    object.__setattr__(found.plan, "items", tuple(short))
    with pytest.raises(InvalidInputError, match="not 12"):
        report_of(found)


def test_a_case_that_is_not_applicable_and_one_that_failed_differ() -> None:
    card = MetricCard("m", "m", "1")
    found = summarise(card, [a_score("m", None), a_score("m", failure=KILLED), a_score("m", 0.5)], 0.95)
    assert found.mean == 0.25
    assert found.interval is not None
    # two values 0 and 0.5: t(0.975, 1) = 12.7062, standard error 0.25; cut to [0, 1]
    assert (found.interval.low, found.interval.high) == (0.0, 1.0)
    assert math.isclose(found.mean_scored or 0.0, 0.5)


def test_times_are_told_per_stage() -> None:
    run = report_of(evaluated(batch_cases=6)).run
    stages = {stage.stage: stage for stage in run.stages}
    assert stages["infer"].items == stages["score"].items == 4
    assert stages["score"].wall_s > 0
    assert run.submitted_at < run.finished_at
