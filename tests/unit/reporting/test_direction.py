"""Metrics of which a lower value is better: who leads, who won, what failed cases count as, and the whole corpus."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.report import EvaluationReport
from bakeoff.domain.score import MetricCard, Outcome, Score
from bakeoff.reporting.assemble import assemble, summarise
from bakeoff.reporting.counting import headline_value, pooled_value
from bakeoff.reporting.direction import failed_in_words
from bakeoff.reporting.gather import gather
from bakeoff.reporting.material import Finished
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.standings import glances
from bakeoff.reporting.text import render_text
from bakeoff.reporting.wording import verdict
from bakeoff.scoring.likelihoods import corpus_perplexity
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate

CASES = [replace(a_case(f"c{number:02d}"), query="one two three four") for number in range(30)]
FAILED = Failure(FailureKind.MODEL, "it said nothing")
EDITS = MetricCard("edits", "", "", maximum=100.0, lower_is_better=True)
LOSS = MetricCard("loss", "", "", maximum=None, lower_is_better=True)


def weighs(case: Case, total: float) -> CaseAnswer:
    text = {"sum": total, "chars": 18, "bytes": 18, "tokens": 4}
    return replace(an_answer(case.case_id), metadata={"logprobs": {"text": text}})


def says(entrant: str, case: Case) -> CaseAnswer:
    """`sure` has a perplexity of e, `unsure` of e² of a word; `sure` fails on the last three cases."""
    if entrant.startswith("sure") and case.case_id >= "c27":
        return replace(an_answer(case.case_id), failure=FAILED, text=None, passages=())
    return weighs(case, -4.0 if entrant.startswith("sure") else -8.0)


def finished(*recipes: str) -> Finished:
    request = a_request(recipes=[a_recipe(name) for name in recipes])
    found = evaluate(request, CASES, says, methods=["perplexity"])
    material = gather(found.plan, found.context)
    return Finished(assemble(material), material)


def reported(*recipes: str) -> EvaluationReport:
    return finished(*recipes).report


@pytest.mark.parametrize("order", [("sure", "unsure"), ("unsure", "sure")])
def test_the_one_with_the_lower_value_leads_whatever_the_order(order: tuple[str, str]) -> None:
    report = reported(*order)
    said = verdict(report, report.benchmarks[0])
    lead = f"{math.e - math.e**2:.3f}".replace("-", "−")
    # All cases differ alike, and a perplexity has no greatest value: what other cases would say is not known.
    assert said.headline.startswith(
        f"sure is ahead of unsure on perplexity_text_word, where lower is better: {lead} (no interval), p < 0.001"
    )


@pytest.mark.parametrize("order", [("sure", "unsure"), ("unsure", "sure")])
def test_a_lower_value_wins_the_case_and_is_marked_as_the_best(order: tuple[str, str]) -> None:
    report = reported(*order)
    (each,) = report.comparisons
    lower_is_entrant = each.entrant.startswith("sure")
    assert (each.wins, each.ties, each.losses) == ((27, 0, 0) if lower_is_entrant else (0, 0, 27))
    marks = {one.label: one.standings[0] for one in glances(report, report.benchmarks[0])}
    assert (marks["sure"].best, marks["sure"].behind) == (True, False)
    assert (marks["unsure"].best, marks["unsure"].behind) == (False, True)
    text = render_text(report)
    assert "* best mean   ↓ shown to be worse than the best; lower is better in perplexity_text_word" in text
    assert ("ahead" if lower_is_entrant else "behind") in text.split("verdict\n")[1].split("\n\n")[0]


def test_a_failed_case_without_a_worst_value_is_left_out_and_counted() -> None:
    report = reported("sure", "unsure")
    (summary,) = report.entrants[0].metrics
    assert (summary.planned, summary.scored, summary.failed) == (30, 27, 3)
    assert summary.mean == pytest.approx(math.e)
    (warning,) = verdict(report, report.benchmarks[0]).warnings
    assert warning.startswith(
        "3 of 30 cases failed for sure and are left out of perplexity_text_word, in which lower is better: 3 model"
    )


def test_a_failed_case_counts_as_the_maximum_where_there_is_one() -> None:
    scores = [Score("edits", Outcome.SCORED, 20.0), Score("edits", Outcome.FAILED, failure=FAILED)]
    assert [headline_value(score, EDITS) for score in scores] == [20.0, 100.0]
    assert summarise(EDITS, scores, 0.95).mean == 60.0


def test_what_failed_cases_count_as_is_said_of_each_kind_of_metric() -> None:
    plain = MetricCard("m", "", "")
    assert failed_in_words([plain]) == failed_in_words([]) == "count as 0"
    assert failed_in_words([plain, EDITS, LOSS]) == (
        "count as 0, and count as the worst in edits, and are left out of loss, in which lower is better"
    )


def test_the_perplexity_of_a_corpus_is_that_of_all_its_words_together() -> None:
    # 2 words with a sum of -2 and 8 words with one of -24: e^(26/10), and no mean of e^1 and e^3.
    card = replace(LOSS, pooling="weighted_geometric_mean")
    scores = [
        Score("loss", Outcome.SCORED, math.exp(1.0), weight=2),
        Score("loss", Outcome.SCORED, math.exp(3.0), weight=8),
        Score("loss", Outcome.FAILED, failure=FAILED),
    ]
    assert pooled_value(scores, card) == pytest.approx(math.exp(2.6))
    assert pooled_value(scores, card) == pytest.approx(corpus_perplexity([(-2.0, 2), (-24.0, 8)]))


def test_the_bits_per_byte_of_a_corpus_are_all_bits_by_all_bytes() -> None:
    card = replace(LOSS, pooling="weighted_mean")
    scores = [Score("b", Outcome.SCORED, 1.0, weight=10), Score("b", Outcome.SCORED, 2.0, weight=30)]
    assert pooled_value(scores, card) == 1.75


def test_a_metric_without_weights_has_no_figure_of_the_corpus() -> None:
    assert pooled_value([Score("loss", Outcome.SCORED, 2.0, weight=3)], LOSS) is None
    assert pooled_value([Score("loss", Outcome.SCORED, 2.0)], replace(LOSS, pooling="weighted_mean")) is None


def test_the_report_and_its_page_tell_the_figure_of_the_corpus() -> None:
    found = finished("sure", "unsure")
    assert found.report.entrants[0].metrics[0].pooled == pytest.approx(math.e)
    assert "whole corpus by sure: perplexity_text_word 2.7183 (mean over cases 2.7183)" in render_text(found.report)
    page = renderers.load().make(ComponentSpec("html")).render(found)
    assert page is not None
    assert b"corpus 2.7183" in page.data
    assert b"lower is better" in page.data
