"""The comparison of an answer with the best fitting of a case's gold answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, scored
from bakeoff.scoring.rules import AnswerRule


def no_gold_answer(case: Case) -> str:
    """Return a reason when a case has no gold answer; empty when it has one."""
    return "" if case.expected.answers else "the case has no gold answer"


def metric_name(name: str, normaliser: str) -> str:
    """Return the name of a metric under a normaliser; SQuAD's goes without saying."""
    return name if normaliser == "squad" else f"{name}_{normaliser}"


@dataclass(frozen=True, slots=True)
class GoldComparison:
    """An evaluator that compares normalised answers; the best gold answer counts."""

    card: MetricCard
    rule: AnswerRule
    similarity: Callable[[str, str], float]
    """Of a normalised answer and a normalised gold answer, in that order, in [0, 1]."""

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """The one metric."""
        return (self.card,)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no gold answer, and the rule does not say that there may be none."""
        return "" if self.rule.may_have_no_answer else no_gold_answer(case)

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score each answer by its most similar gold answer."""
        return [Verdict((scored(self.card, self._best(each)),)) for each in cases]

    def _best(self, each: AnsweredCase) -> float:
        normalise = self.rule.normalise
        answer = normalise(each.answer.text or "")
        golds = [normalise(gold) for gold in each.case.expected.answers]
        if self.rule.may_have_no_answer:
            # As in SQuAD 2.0's script: a gold answer of which nothing is left is none, unless there is no other.
            golds = [gold for gold in golds if gold] or [""]
        return max(self.similarity(answer, gold) for gold in golds)
