"""Whether the answer holds a gold answer, word by word."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, scored
from bakeoff.scoring.gold import no_gold_answer
from bakeoff.scoring.normalisation import without_articles, words
from bakeoff.scoring.registries import evaluators

CARD = MetricCard(
    "answer_contains",
    "",
    "",
    binary=True,
    needs_answer=True,
    source="containment of whole words and numbers after NFKC and case folding, articles left out; any gold answer",
)


class AnswerContains:
    """Looks for each gold answer's words, in a row, among the answer's."""

    metrics = (CARD,)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no gold answer."""
        return no_gold_answer(case)

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score 1 where any gold answer is contained."""
        return [Verdict((scored(CARD, self._holds_any(each)),)) for each in cases]

    def _holds_any(self, each: AnsweredCase) -> bool:
        answer = each.answer.text or ""
        return any(contains(answer, gold) for gold in each.case.expected.answers)


def contains(answer: str, gold: str) -> bool:
    """Return whether the words of a gold answer stand in a row in an answer; `no` is not found in `nothing`."""
    inner = without_articles(words(gold))
    if inner:
        return _in_a_row(inner, without_articles(words(answer)))
    # The gold answer is an article or a mark: compare what was written.
    return bool(words(gold)) and _in_a_row(words(gold), words(answer))


def _in_a_row(inner: list[str], outer: list[str]) -> bool:
    # NUL is no part of any word.
    return "\0".join(["", *inner, ""]) in "\0".join(["", *outer, ""])


@evaluators.register("answer_contains")
def answer_contains() -> AnswerContains:
    """Measure whether any gold answer stands in the answer, as whole words and numbers.

    Scale: {0, 1}, higher is better; a mean is the share of answers that hold a gold answer.
    Not applicable: the case has no gold answer, or the recipe makes no answers.
    Source: none; long answers score well, so read it beside exact match.
    """
    return AnswerContains()
