"""The evaluator of any of sacrebleu's metrics: a value for each case, and the counts that corpus figures need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.corpus_overlap import Overlap, OverlapMetric, sentence_overlap
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, scored
from bakeoff.scoring.gold import no_gold_answer


def as_it_is(overlap: Overlap) -> float:
    """Return sacrebleu's score."""
    return overlap.score


@dataclass(frozen=True, slots=True)
class OverlapEvaluator:
    """Scores single answers; details have the signature and the counts, under the metric's name.

    A corpus figure is no mean over cases. It is `corpus_score(metric, statistics)` over the cases' counts.
    """

    card: MetricCard
    metric_of: Callable[[Case], OverlapMetric]
    """The metric of a case: its tokenizer may depend on the case's language."""
    value: Callable[[Overlap], float] = as_it_is
    """What is reported of an overlap; higher is better."""
    more: Callable[[Overlap], Json] | None = None
    """More details of an overlap; None for none."""

    @property
    def metrics(self) -> tuple[MetricCard, ...]:
        """The one metric."""
        return (self.card,)

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no gold answer."""
        return no_gold_answer(case)

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score each answer against all its gold answers."""
        return [self._judge(each) for each in cases]

    def _judge(self, each: AnsweredCase) -> Verdict:
        metric = self.metric_of(each.case)
        overlap = sentence_overlap(metric, golds=each.case.expected.answers, answer=each.answer.text or "")
        shown: Json = {"signature": overlap.signature, "statistics": list(overlap.statistics)}
        if self.more:
            shown |= self.more(overlap)
        return Verdict((scored(self.card, self.value(overlap)),), {self.card.name: shown})
