"""What the dashboard's pages say of numbers, places and failures."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bakeoff.dashboard.guarding import is_loopback
from bakeoff.dashboard.views import (
    PAGE_CASES,
    case_page,
    mean_words,
    overall_words,
    pages_words,
    stage_share,
    stage_words,
)
from bakeoff.domain.answer import Passage, Span
from bakeoff.domain.evaluation import EvaluationState, EvaluationStatus, Stage, StageProgress
from bakeoff.domain.report import Interval, MetricSummary
from bakeoff.domain.score import Outcome


@dataclass(frozen=True)
class AScore:
    """A score as the platform tells it."""

    case_id: str
    metric: str = "recall"
    value: float | None = 1.0
    outcome: Outcome = Outcome.SCORED
    reason: str = ""
    benchmark: str = "b"
    entrant: str = "r/m"


def test_a_stage_counts_cases_where_it_has_some() -> None:
    infer = StageProgress(Stage.INFER, 10, 3, 2, planned_cases=1000, done_cases=250)
    build = StageProgress(Stage.BUILD, 4, 1, 1)
    unplanned = StageProgress(Stage.SCORE, 0, 0, 0)

    assert [stage_share(stage) for stage in (infer, build, unplanned)] == [0.25, 0.25, None]
    assert [stage_words(stage) for stage in (infer, build, unplanned)] == [
        "250 of 1,000 cases",
        "1 of 4 items",
        "nothing planned yet",
    ]
    running = EvaluationStatus("ev", "n", "t", EvaluationState.RUNNING, (infer, build, unplanned))
    assert overall_words(running) == "infer: 250 of 1,000 cases, build: 1 of 4 items"
    failed = EvaluationStatus("ev", "n", "t", EvaluationState.FAILED, (infer,), "no such folder")
    assert overall_words(failed) == "no such folder"


def test_a_mean_comes_with_its_interval_and_none_is_a_dash() -> None:
    interval = Interval(0.25, 0.75, 0.95, "wilson")
    assert mean_words(MetricSummary("m", 4, 4, 0, 0, 0.5, 0.5, interval)) == "0.500 (0.250 to 0.750)"
    assert mean_words(MetricSummary("m", 1, 1, 0, 0, 0.5, 0.5, None)) == "0.500"
    assert mean_words(MetricSummary("m", 4, 0, 0, 4, None, None, None)) == "–"


@pytest.mark.parametrize(
    ("pages", "label", "words"),
    [
        (None, "", ""),
        (Span(0, 1), "", "page 1"),
        (Span(2, 5), "", "pages 3 to 5"),
        (Span(2, 2), "", "page 3"),
        (Span(0, 1), "iv", "page iv"),
    ],
)
def test_pages_are_told_as_they_are_printed_else_from_1(pages: Span | None, label: str, words: str) -> None:
    passage = Passage(1, 1.0, "d", "d#0", "raw/d", "0" * 64, Span(0, 1), pages=pages, page_label=label)

    assert pages_words(passage) == words


def test_cases_come_in_pages_with_a_column_a_metric() -> None:
    scores = [AScore(f"q{i}", metric) for i in range(PAGE_CASES + 1) for metric in ("recall", "ndcg")]

    first, last = case_page(scores), case_page(scores, page=2)

    assert (first.metrics, first.total, first.pages, len(first.rows)) == (
        ("recall", "ndcg"),
        PAGE_CASES + 1,
        2,
        PAGE_CASES,
    )
    assert [row.case_id for row in last.rows] == [f"q{PAGE_CASES}"]
    assert case_page(scores, page=7) == last
    assert case_page([]).pages == 1


def test_failed_cases_can_be_shown_alone_with_their_reason() -> None:
    scores = [
        AScore("good"),
        AScore("bad", value=None, outcome=Outcome.FAILED, reason="the model was gone"),
        AScore("bad", "ndcg", value=None, outcome=Outcome.NOT_APPLICABLE, reason="no evidence"),
        AScore("other", entrant="r/other", value=None, outcome=Outcome.NOT_APPLICABLE, reason="no evidence"),
    ]

    (row,) = case_page(scores, failed=True).rows
    assert (row.case_id, row.values, row.reason) == ("bad", ("failed", "–"), "the model was gone")
    assert [row.case_id for row in case_page(scores, entrant="r/other").rows] == ["other"]
    assert [row.case_id for row in case_page(scores, find="oo").rows] == ["good"]


def test_only_names_of_this_machine_are_loopback() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]")))
    assert not any(map(is_loopback, ("", "localhost.evil.example", "10.0.0.1", "0.0.0.0", "127.0.0.1.evil.example")))
