"""Scoring a batch: every case ends with every metric, as a value, as not applicable, or failed with its reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.errors import CancelledItemError, InvalidInputError, UnavailableError
from bakeoff.domain.ranking import scored_documents
from bakeoff.domain.score import CaseScores, MetricCard, Outcome, Score
from bakeoff.scoring.evaluator import (
    AnsweredCase,
    Evaluator,
    LeavesOutEntrants,
    ScoringContext,
    Verdict,
    failed,
    not_applicable,
)
from bakeoff.scoring.methods import Methods

NO_ANSWERS = "the recipe makes no answers"


@dataclass(slots=True)
class _Sheet:
    """What is known of one case while its batch is scored."""

    each: AnsweredCase
    failure: Failure | None
    scores: dict[str, Score] = field(default_factory=dict)
    details: Json = field(default_factory=dict)


def score_batch(
    methods: Methods, cases: Sequence[Case], answers: Sequence[CaseAnswer], context: ScoringContext
) -> tuple[CaseScores, ...]:
    """Return the scores of each case, in the cases' order.

    Whether a metric applies is asked of the case first, so that all entrants are measured over the same cases; then a
    failed answer fails it; only then is the answer scored. An evaluator that raises is asked again case by case, so
    that only the cases that raise fail.

    Args:
        methods: Evaluators and their metrics.
        cases: What was asked.
        answers: What was said, in the same order.
        context: What else scores depend on.

    Raises:
        InvalidInputError: the answers are not those of the cases.
        UnavailableError: something that an evaluator needs does not answer; to be tried again.
    """
    if [case.case_id for case in cases] != [answer.case_id for answer in answers]:
        raise InvalidInputError(
            f"{len(answers)} answers are not those of the {len(cases)} cases: expected "
            f"{_first_ids(cases)}, found {_first_ids(answers)}"
        )
    sheets = [
        _Sheet(AnsweredCase(case, answer), answer.failure or _broken_score(answer))
        for case, answer in zip(cases, answers, strict=True)
    ]
    for evaluator in methods.evaluators:
        _score_with(evaluator, sheets, context)
    return tuple(
        CaseScores(sheet.each.case.case_id, tuple(sheet.scores[card.name] for card in methods.metrics), sheet.details)
        for sheet in sheets
    )


def _first_ids(items: Sequence[Case] | Sequence[CaseAnswer]) -> list[str]:
    return [item.case_id for item in items[:3]]


def _broken_score(answer: CaseAnswer) -> Failure | None:
    for row, (_, score) in enumerate(scored_documents(answer.passages)):
        if not math.isfinite(score):
            passage = answer.passages[row]
            reason = f"passage {passage.rank} ({passage.chunk_id}) has the score {passage.score}: it cannot be ranked"
            return Failure(FailureKind.INFRASTRUCTURE, reason)
    return None


def _score_with(evaluator: Evaluator, sheets: Sequence[_Sheet], context: ScoringContext) -> None:
    names = [card.name for card in evaluator.metrics]
    needs_answer = any(card.needs_answer for card in evaluator.metrics)
    pending = []
    for sheet in sheets:
        try:
            reason, failure = _not_applicable(evaluator, sheet.each.case, context), sheet.failure
        except Exception as error:
            reason, failure = "", _failure_of(error)
        if reason:
            sheet.scores |= {name: not_applicable(name, reason) for name in names}
        elif failure:
            sheet.scores |= {name: failed(name, failure) for name in names}
        elif needs_answer and sheet.each.answer.text is None:
            sheet.scores |= {name: not_applicable(name, NO_ANSWERS) for name in names}
        else:
            pending.append(sheet)
    verdicts = _judge(evaluator, [sheet.each for sheet in pending], context)
    for sheet, verdict in zip(pending, verdicts, strict=True):
        sheet.scores |= {score.metric: score for score in verdict.scores}
        sheet.details |= verdict.details


def _not_applicable(evaluator: Evaluator, case: Case, context: ScoringContext) -> str:
    if isinstance(evaluator, LeavesOutEntrants) and (reason := evaluator.left_out(context)):
        return reason
    return evaluator.not_applicable(case)


def _judge(evaluator: Evaluator, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
    if not cases:
        return []
    try:
        verdicts = evaluator.score(cases, context)
        if len(verdicts) != len(cases):
            raise ValueError(f"gave {len(verdicts)} verdicts on {len(cases)} cases")
        return [_checked(verdict, evaluator.metrics) for verdict in verdicts]
    except (UnavailableError, CancelledItemError):
        raise
    except Exception as error:  # whatever an evaluator raises fails the case that made it, and no other
        if len(cases) == 1:
            failure = _failure_of(error)
            return [Verdict(tuple(failed(card.name, failure) for card in evaluator.metrics))]
        return [verdict for case in cases for verdict in _judge(evaluator, [case], context)]


def _checked(verdict: Verdict, metrics: Sequence[MetricCard]) -> Verdict:
    found, promised = [score.metric for score in verdict.scores], [card.name for card in metrics]
    if found != promised:
        raise ValueError(f"gave the metrics {found}, and promised {promised}")
    for score in verdict.scores:
        if score.outcome is Outcome.SCORED and (score.value is None or not math.isfinite(score.value)):
            raise ValueError(f"gave {score.metric} the value {score.value}")
    return verdict


def _failure_of(error: Exception) -> Failure:
    kind = FailureKind.INPUT if isinstance(error, InvalidInputError) else FailureKind.JUDGE
    return Failure(kind, f"{type(error).__name__}: {error}" if kind is FailureKind.JUDGE else str(error))
