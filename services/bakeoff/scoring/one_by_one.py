"""An evaluator that judges each case on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, failed


@dataclass(frozen=True, slots=True)
class OneByOne:
    """Metrics with the two functions that make them an evaluator."""

    metrics: tuple[MetricCard, ...]
    excludes: Callable[[Case], str]
    """Gives the reason why a case is not applicable; empty when it is."""
    judge: Callable[[AnsweredCase], Verdict]

    def not_applicable(self, case: Case) -> str:
        """Return the reason why the metrics say nothing about the case."""
        return self.excludes(case)

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Judge one case after the other."""
        return [self.judge(each) for each in cases]


def every_case(case: Case) -> str:
    """Return no reason: the metric says something about every case."""
    return ""


def unread(metrics: Sequence[MetricCard], reason: str, details: dict[str, object] | None = None) -> Verdict:
    """Return the verdict on an answer in which nothing was found that could be scored: a failure to parse."""
    failure = Failure(FailureKind.PARSE, reason)
    return Verdict(tuple(failed(card.name, failure) for card in metrics), details or {})


def shown(text: str) -> str:
    """Return an answer as a message can hold it."""
    return repr(text if len(text) <= 80 else f"{text[:60]}…{text[-20:]}")
