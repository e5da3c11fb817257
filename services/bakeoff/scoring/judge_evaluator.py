"""The evaluators of a judging model, for who can ask one: they take its callables and need no network of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, failed, scored
from bakeoff.scoring.judge_prompts import Material, Rubric
from bakeoff.scoring.judging import Ask, Judgement, compare_answers, distinct, judge_answer, not_judgeable


@dataclass(frozen=True, slots=True)
class JudgeEvaluator:
    """Scores answers by a rubric; a judgement that fails is a failure of the judge, never a zero."""

    card: MetricCard
    """In [0, 1]; its source names the judging models, the prompt and the scale."""
    rubric: Rubric
    judges: tuple[Ask, ...]
    """One for each vote."""
    attempts: int = 2
    """How often each is asked before its answer counts as unreadable."""

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """The one metric."""
        return (self.card,)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when a gold answer is needed and there is none."""
        return "" if case.expected.answers or not self.rubric.needs_reference else "the case has no gold answer"

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Have each answer rated."""
        return [self._judge(each) for each in cases]

    def _judge(self, each: AnsweredCase) -> Verdict:
        material = material_of(each)
        if reason := not_judgeable(self.rubric, material):
            # Passages are the entrant's own, so this cannot be known of the case: all entrants keep one denominator.
            return Verdict((failed(self.card.name, Failure(FailureKind.INPUT, reason)),))
        found = judge_answer(self.judges, self.rubric, material, each.answer.text or "", attempts=self.attempts)
        return told(self.card, found)


@dataclass(frozen=True, slots=True)
class DuelEvaluator:
    """Scores answers by whether they beat another answer to the same question, in both orders."""

    card: MetricCard
    """In [0, 1]: 1 is a win, 0.5 a tie; its mean is the win rate with ties as halves."""
    rubric: Rubric
    judges: tuple[Ask, ...]
    opponent: Callable[[Case], str | None]
    """The other answer, such as a baseline's; None when the case has none."""
    attempts: int = 2

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """The one metric."""
        return (self.card,)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no other answer, or a gold answer is needed and there is none."""
        if self.rubric.needs_reference and not case.expected.answers:
            return "the case has no gold answer"
        return "the case has no answer to compare with" if self.opponent(case) is None else ""

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Have each answer compared."""
        return [self._judge(each) for each in cases]

    def _judge(self, each: AnsweredCase) -> Verdict:
        material, other = material_of(each), self.opponent(each.case) or ""
        answer = each.answer.text or ""
        return told(
            self.card, compare_answers(self.judges, self.rubric, material, answer, other, attempts=self.attempts)
        )


def material_of(each: AnsweredCase) -> Material:
    """Return what a judge may be shown of a case: passages that were given with it, else those that were retrieved."""
    given = each.case.metadata.get("contexts")
    found = (passage.text for passage in each.answer.passages)
    texts = map(str, given) if isinstance(given, list | tuple) and given else (text for text in found if text)
    return Material(each.case.query, each.case.expected.answers, distinct(tuple(texts)))


def told(card: MetricCard, judgement: Judgement) -> Verdict:
    """Return a judgement as a verdict, with its votes and what they took in the details."""
    calls = [usage for vote in judgement.votes for usage in vote.usage]
    shown: Json = {
        "rating": judgement.rating,
        "votes": [vote.rating for vote in judgement.votes],
        "problems": [vote.problem for vote in judgement.votes if vote.problem],
        "inconsistent": sum(not vote.consistent for vote in judgement.votes),
        "note": judgement.note,
        # What judging costs is kept apart from what answering costs.
        "judge_calls": len(calls),
        "judge_tokens_in": sum(usage.tokens_in or 0 for usage in calls),
        "judge_tokens_out": sum(usage.tokens_out or 0 for usage in calls),
        "judge_cost": sum(usage.cost or 0.0 for usage in calls),
    }
    if judgement.failure is not None:
        return Verdict((failed(card.name, judgement.failure),), {card.name: shown})
    return Verdict((scored(card, judgement.value or 0.0),), {card.name: shown})
