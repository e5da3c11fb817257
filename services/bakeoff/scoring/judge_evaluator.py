"""The evaluators of a judging model: they take a panel of judges and need no network of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, failed, not_applicable, scored
from bakeoff.scoring.human_labels import ReadLabel, label_facts, on_scale, winner, yes_or_no
from bakeoff.scoring.judge_panel import Panel
from bakeoff.scoring.judge_prompts import Material, Rubric, pairwise_schema, pointwise_schema
from bakeoff.scoring.judge_questions import settle
from bakeoff.scoring.judgements import Aggregate, Compared, Judgement, Rated, not_judgeable
from bakeoff.scoring.judging import distinct
from bakeoff.scoring.opponents import ITSELF, NoOpponentError, Opponent

NO_GOLD = "the case has no gold answer"
SAID = 600
"""Characters of a judge's last words that are kept for readers."""


@dataclass(frozen=True, slots=True)
class JudgeEvaluator:
    """Scores answers by a rubric; a judgement that fails is a failure of the judge, never a zero."""

    card: MetricCard
    """In [0, 1]; its source names the judging model, the prompt and the scale."""
    rubric: Rubric
    judges: Panel
    attempts: int = 2
    """How often each judge is asked before its answer counts as unreadable."""
    aggregate: Aggregate = Aggregate.MEDIAN
    labels: str = ""
    """Column with people's ratings; empty when there are none."""

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """The one metric."""
        return (self.card,)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when a gold answer is needed and there is none."""
        return NO_GOLD if self.rubric.needs_reference and not case.expected.answers else ""

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Have all answers rated, many at once."""
        opened = [self._open(each) for each in cases]
        ask = self.judges.panel(pointwise_schema(self.rubric), context)
        settle([question for each in opened if isinstance(each, Rated) for question in each.questions], ask)
        return [self._told(each, found, context) for each, found in zip(cases, opened, strict=True)]

    def _open(self, each: AnsweredCase) -> Rated | Failure:
        material = material_of(each)
        if reason := not_judgeable(self.rubric, material):
            # Passages are the entrant's own, so this cannot be known of the case: all entrants keep one denominator.
            return Failure(FailureKind.INPUT, reason)
        return Rated.open(
            each.case.case_id,
            self.judges.votes,
            self.rubric,
            material,
            each.answer.text or "",
            attempts=self.attempts,
            aggregate=self.aggregate,
        )

    def _told(self, each: AnsweredCase, found: Rated | Failure, context: ScoringContext) -> Verdict:
        if isinstance(found, Failure):
            return Verdict((failed(self.card.name, found),))
        scale = self.rubric.scale
        read: ReadLabel = yes_or_no if scale is None else on_scale(scale)
        level = "nominal" if scale is None else "ordinal"
        return told(self.card, found.judgement(), label_facts(each.case, context.entrant, self.labels, read, level))


@dataclass(frozen=True, slots=True)
class DuelEvaluator:
    """Scores answers by whether they beat another answer to the same question, in both orders."""

    card: MetricCard
    """In [0, 1]: 1 is a win, 0.5 a tie; its mean is the win rate with ties as halves."""
    rubric: Rubric
    judges: Panel
    opponent: Opponent
    attempts: int = 2
    labels: str = ""
    """Column with what people say: win, tie or loss of the answer; empty when there is none."""

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """The one metric."""
        return (self.card,)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no other answer, or a gold answer is needed and there is none."""
        if self.rubric.needs_reference and not case.expected.answers:
            return NO_GOLD
        return self.opponent.missing(case)

    def left_out(self, context: ScoringContext) -> str:
        """Return a reason when the entrant is the opponent itself, also where it has failed."""
        return ITSELF if self.opponent.is_entrant(context) else ""

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Have all answers compared, many at once."""
        opened = [self._open(each, context) for each in cases]
        ask = self.judges.panel(pairwise_schema(), context)
        settle([question for each in opened if isinstance(each, Compared) for question in each.questions], ask)
        return [
            self._told(each, found, context) if isinstance(found, Compared) else found
            for each, found in zip(cases, opened, strict=True)
        ]

    def _open(self, each: AnsweredCase, context: ScoringContext) -> Compared | Verdict:
        material, name = material_of(each), self.card.name
        if reason := not_judgeable(self.rubric, material):
            return Verdict((failed(name, Failure(FailureKind.INPUT, reason)),))
        try:
            other = self.opponent.answer(each, context)
        except NoOpponentError as error:
            return Verdict((not_applicable(name, str(error)),))
        text, votes = each.answer.text or "", self.judges.votes
        return Compared.open(each.case.case_id, votes, self.rubric, material, text, other, attempts=self.attempts)

    def _told(self, each: AnsweredCase, found: Compared, context: ScoringContext) -> Verdict:
        facts = label_facts(each.case, context.entrant, self.labels, winner, "ordinal")
        return told(self.card, found.judgement(), facts)


def material_of(each: AnsweredCase) -> Material:
    """Return what a judge may be shown of a case: passages that were given with it, else those that were retrieved."""
    brought = each.case.metadata.get("contexts")
    given = tuple(map(str, brought)) if isinstance(brought, list | tuple) else ()
    found = tuple(passage.text for passage in each.answer.passages if passage.text)
    return Material(each.case.query, each.case.expected.answers, distinct(given or found), bool(given))


def told(card: MetricCard, judgement: Judgement, label: Json) -> Verdict:
    """Return a judgement as a verdict, with its votes and what they took in the details."""
    calls = [usage for vote in judgement.votes for usage in vote.usage]
    costs = [usage.cost for usage in calls if usage.cost is not None]
    shown: Json = {
        "rating": judgement.rating,
        "votes": [vote.rating for vote in judgement.votes],
        "problems": [vote.problem for vote in judgement.votes if vote.problem],
        "said": [vote.said[:SAID] for vote in judgement.votes],
        "inconsistent": sum(not vote.consistent for vote in judgement.votes),
        "note": judgement.note,
        # What judging costs is kept apart from what answering costs.
        "judge_answers": len(calls),
        "judge_stored": sum(usage.attempts == 0 for usage in calls),
        "judge_calls": sum(usage.attempts for usage in calls),
        "judge_tokens_in": sum(usage.tokens_in or 0 for usage in calls),
        "judge_tokens_out": sum(usage.tokens_out or 0 for usage in calls),
        "judge_cost": sum(costs) if costs else None,
        **label,
    }
    if judgement.failure is not None:
        return Verdict((failed(card.name, judgement.failure),), {card.name: shown})
    return Verdict((scored(card, judgement.value or 0.0),), {card.name: shown})
