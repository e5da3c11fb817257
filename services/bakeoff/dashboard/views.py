"""What pages show, made of the domain's nouns: words, shares and rows. Knows neither HTML nor the network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bakeoff.dashboard.platform import CaseScore
from bakeoff.domain.answer import Passage
from bakeoff.domain.evaluation import EvaluationStatus, StageProgress
from bakeoff.domain.report import MetricSummary
from bakeoff.domain.score import Outcome

PAGE_CASES = 50


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case under one entrant, with its values by metric."""

    benchmark: str
    case_id: str
    entrant: str
    values: tuple[str, ...]
    """A number, `–` where the metric says nothing, `failed` where there should be one."""
    reason: str
    """Why it failed; empty when it did not."""


@dataclass(frozen=True, slots=True)
class CasePage:
    """Some of the rows that were asked for."""

    metrics: tuple[str, ...]
    rows: tuple[CaseRow, ...]
    total: int
    """Rows over all pages."""
    page: int
    """From 1."""
    pages: int
    """At least 1."""


def stage_share(stage: StageProgress) -> float | None:
    """Return how far a stage is, in [0, 1]; None while it has no plan, or nothing to do."""
    if stage.planned_cases:
        return stage.done_cases / stage.planned_cases
    return stage.done / stage.planned if stage.planned else None


def stage_words(stage: StageProgress) -> str:
    """Return how far a stage is, such as `120 of 300 cases`."""
    if not stage.planned:
        return "nothing planned yet"
    if stage.planned_cases:
        return f"{stage.done_cases:,} of {stage.planned_cases:,} cases"
    return f"{stage.done:,} of {stage.planned:,} items"


def overall_words(status: EvaluationStatus) -> str:
    """Return in a few words what an evaluation is at."""
    if status.state.ended:
        return status.reason
    moving = [stage for stage in status.stages if stage.planned and stage.done < stage.planned]
    return ", ".join(f"{stage.stage.value}: {stage_words(stage)}" for stage in moving)


def mean_words(metric: MetricSummary) -> str:
    """Return a mean with its interval, such as `0.712 (0.650 to 0.774)`; `–` when nothing is applicable."""
    if metric.mean is None:
        return "–"
    interval = f" ({metric.interval.low:.3f} to {metric.interval.high:.3f})" if metric.interval else ""
    return f"{metric.mean:.3f}{interval}"


def pages_words(passage: Passage) -> str:
    """Return where in its document a passage stands: printed pages where they are known; empty without pages."""
    if passage.pages is None:
        return ""
    if passage.page_label:
        return f"page {passage.page_label}"
    first, last = passage.pages.start + 1, max(passage.pages.stop, passage.pages.start + 1)
    return f"page {first}" if first == last else f"pages {first} to {last}"


def value_words(score: CaseScore) -> str:
    """Return the value of a case in one word."""
    if score.outcome is Outcome.FAILED:
        return "failed"
    return f"{score.value:.3f}" if score.value is not None else "–"


def case_page(
    scores: Iterable[CaseScore],
    *,
    benchmark: str = "",
    entrant: str = "",
    find: str = "",
    failed: bool = False,
    page: int = 1,
) -> CasePage:
    """Return a page of cases.

    Args:
        scores: All of an evaluation, in the report's order.
        benchmark: Only this one; empty means all.
        entrant: Only this one; empty means all.
        find: Only cases whose id holds this; empty means all.
        failed: Only those that failed under a metric.
        page: Which, from 1; one beyond the last is the last.
    """
    chosen = [
        score
        for score in scores
        if benchmark in ("", score.benchmark) and entrant in ("", score.entrant) and find in score.case_id
    ]
    metrics = tuple(dict.fromkeys(score.metric for score in chosen))
    cases: dict[tuple[str, str, str], list[CaseScore]] = {}
    for score in chosen:
        cases.setdefault((score.benchmark, score.entrant, score.case_id), []).append(score)
    rows = [row for row in (_row(each, metrics) for each in cases.values()) if row.reason or not failed]
    pages = max(1, -(-len(rows) // PAGE_CASES))
    page = min(max(page, 1), pages)
    return CasePage(metrics, tuple(rows[(page - 1) * PAGE_CASES : page * PAGE_CASES]), len(rows), page, pages)


def _row(scores: Sequence[CaseScore], metrics: Sequence[str]) -> CaseRow:
    values = {score.metric: value_words(score) for score in scores}
    reason = next((score.reason for score in scores if score.outcome is Outcome.FAILED), "")
    first = scores[0]
    words = tuple(values.get(metric, "–") for metric in metrics)
    return CaseRow(first.benchmark, first.case_id, first.entrant, words, reason)
