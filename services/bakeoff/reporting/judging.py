"""Judging models in a report: what they took, and how far they agree with people, from the details of scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from bakeoff.domain.answer import FailureKind
from bakeoff.domain.report import JudgeAgreement, JudgeUsage
from bakeoff.domain.score import MetricCard, Score
from bakeoff.reporting.agreement import Level, agreement_with_people
from bakeoff.reporting.material import Material


@dataclass(frozen=True, slots=True)
class _Judged:
    """What the details say of one judgement; more may stand there."""

    rating: float | None = None
    inconsistent: int = 0
    judge_answers: int = 0
    judge_stored: int = 0
    judge_calls: int = 0
    judge_tokens_in: int = 0
    judge_tokens_out: int = 0
    judge_cost: float | None = None
    level: str = ""
    """Empty when there are no labels."""
    person: float | None = None
    bad_label: str | None = None


@dataclass(frozen=True, slots=True)
class _Column:
    """One judged metric of one entrant."""

    benchmark: str
    entrant: str
    card: MetricCard
    scores: Sequence[Score]
    """One for each case."""
    judged: dict[str, _Judged]
    """By the case's name; those that got as far as the judge."""

    @property
    def failures(self) -> int:
        return sum(score.failure is not None and score.failure.kind is FailureKind.JUDGE for score in self.scores)


def judge_usages(material: Material) -> tuple[JudgeUsage, ...]:
    """Return what judging took, for each entrant and metric that a model judged."""
    return tuple(_usage(column) for column in _columns(material))


def judge_agreements(material: Material) -> tuple[JudgeAgreement, ...]:
    """Return how far judges agree with people, for each entrant and metric with a column of labels."""
    return tuple(_agreement(column) for column in _columns(material) if any(x.level for x in column.judged.values()))


def _columns(material: Material) -> Iterator[_Column]:
    for benchmark in material.benchmarks:
        for place, card in enumerate(benchmark.metrics):
            for entrant in benchmark.entrants if card.prompt else ():
                found = {
                    planned.name: msgspec.convert(outcome.details[card.name], _Judged)
                    for planned, outcome in zip(benchmark.cases, entrant.outcomes, strict=True)
                    if card.name in outcome.details
                }
                scores = [outcome.scores[place] for outcome in entrant.outcomes]
                yield _Column(benchmark.name, entrant.name, card, scores, found)


def _usage(column: _Column) -> JudgeUsage:
    judged = column.judged.values()
    costs = [each.judge_cost for each in judged if each.judge_cost is not None]
    return JudgeUsage(
        column.benchmark,
        column.entrant,
        column.card.name,
        column.card.prompt,
        len(judged),
        column.failures,
        sum(each.inconsistent for each in judged),
        sum(each.judge_answers for each in judged),
        sum(each.judge_stored for each in judged),
        sum(each.judge_calls for each in judged),
        sum(each.judge_tokens_in for each in judged),
        sum(each.judge_tokens_out for each in judged),
        math.fsum(costs) if costs else None,
    )


def _agreement(column: _Column) -> JudgeAgreement:
    level = Level(next(each.level for each in column.judged.values() if each.level))
    judge = {name: each.rating for name, each in column.judged.items() if each.rating is not None}
    people = {name: each.person for name, each in column.judged.items() if each.person is not None}
    found = agreement_with_people(judge, people, level)
    return JudgeAgreement(
        column.benchmark,
        column.entrant,
        column.card.name,
        level.value,
        found.cases,
        found.only_judge,
        found.only_people,
        column.failures,
        sum(each.bad_label is not None for each in column.judged.values()),
        found.share,
        found.kappa,
        found.weighted_kappa,
        found.alpha,
        found.ac1,
    )
