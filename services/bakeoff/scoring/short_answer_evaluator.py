"""The evaluation types key2_qa and key2_q_ma: short gold answers, compared as words and as mathematics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bakeoff.domain.answer import FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard, Outcome, Score
from bakeoff.scoring.evaluator import AnsweredCase, Evaluator, ScoringContext, Verdict, failed, scored
from bakeoff.scoring.evaluators.math_equivalence import math_equivalence
from bakeoff.scoring.official_answers import either_contains, extracted
from bakeoff.scoring.one_by_one import unread
from bakeoff.scoring.short_answers import gives, is_mathematical, is_settled, said_in

Mode = Literal["official", "strict"]
RULES: dict[Mode, str] = {
    "official": "either text contains the other, as letters, or both are equal as mathematics",
    "strict": "the number, the words or the yes or no are given and not denied, or it is equal as mathematics",
}
"""What a report says of each."""


@dataclass(frozen=True, slots=True)
class ShortAnswers:
    """Compares words first, and what is left as mathematics where math-verify is installed."""

    card: MetricCard
    mode: Mode
    golds_of: Callable[[Case], tuple[str, ...]]
    """The gold answers of a case, none of them blank."""
    mathematics: Evaluator | None
    """None where math-verify is not installed."""

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """The one metric."""
        return (self.card,)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no gold answer that is not blank."""
        return "" if self.golds_of(case) else "the case has no gold answer: empty_reference"

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score each answer; all that mathematics must decide is decided together."""
        verdicts = [self._by_words(each) for each in cases]
        open_cases = [each for each, verdict in zip(cases, verdicts, strict=True) if verdict is None]
        decided = iter(self._by_mathematics(open_cases, context))
        return [next(decided) if verdict is None else verdict for verdict in verdicts]

    def _by_words(self, each: AnsweredCase) -> Verdict | None:
        """Return the verdict that words allow; None when only mathematics can decide."""
        text, golds = each.answer.text or "", self.golds_of(each.case)
        if not text.strip():
            return unread((self.card,), "the answer is blank: empty_prediction")
        said = self._said(text)
        if self.mode == "official":
            same = any(either_contains(gold, text) or either_contains(gold, said) for gold in golds)
        else:
            same = any(gives(said, gold) for gold in golds)
        if same:
            return self._verdict(scored(self.card, 1.0), said, "words")
        if self.mathematics and self._open_golds(each.case, said):
            return None
        return self._verdict(scored(self.card, 0.0), said, "words")

    def _open_golds(self, case: Case, said: str) -> tuple[str, ...]:
        """Return the gold answers that mathematics may find equal to what is said, though words did not."""
        golds = self.golds_of(case)
        if self.mode == "official":
            return golds  # the official comparison reads everything as mathematics
        return tuple(gold for gold in golds if is_mathematical(gold) and not is_settled(said, gold))

    def _by_mathematics(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        if not cases or self.mathematics is None:
            return []
        asked = [self._as_mathematics(each) for each in cases]
        answered = self.mathematics.score(asked, context)
        return [
            self._verdict(self._outcome(verdict.scores[0]), each.answer.text or "", "mathematics")
            for each, verdict in zip(asked, answered, strict=True)
        ]

    def _as_mathematics(self, each: AnsweredCase) -> AnsweredCase:
        said = self._said(each.answer.text or "")
        case = replace(each.case, expected=replace(each.case.expected, answers=self._open_golds(each.case, said)))
        return AnsweredCase(case, replace(each.answer, text=said))

    def _outcome(self, score: Score) -> Score:
        if score.outcome is Outcome.SCORED:
            return scored(self.card, score.value or 0.0)
        # No mathematics in words is no failure here; the official comparison takes any trouble for "not equal".
        if self.mode == "official" or score.failure is None or score.failure.kind is FailureKind.PARSE:
            return scored(self.card, 0.0)
        return failed(self.card.name, score.failure)

    def _said(self, text: str) -> str:
        return extracted(text) if self.mode == "official" else said_in(text)

    def _verdict(self, score: Score, said: str, by: str) -> Verdict:
        return Verdict((score,), {self.card.name: {"extracted": said[:200], "by": by}})


def short_answers(name: str, mode: Mode, golds_of: Callable[[Case], Sequence[str]]) -> ShortAnswers:
    """Return the evaluator of a mode.

    Args:
        name: Name of the evaluation type.
        mode: `official` or `strict`.
        golds_of: The gold answers of a case; blank ones are left out.
    """
    try:
        mathematics: Evaluator | None = math_equivalence(mode=mode)
    except InvalidInputError:
        mathematics = None  # words alone decide; the source says so
    with_or_without = "with" if mathematics else "without"
    source = f"{name}, {mode}: {RULES[mode]}; {with_or_without} math-verify"
    card = MetricCard(f"{name}_{mode}", "", "", binary=True, needs_answer=True, source=source)
    return ShortAnswers(card, mode, lambda case: tuple(gold for gold in golds_of(case) if gold.strip()), mathematics)
