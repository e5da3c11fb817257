"""How little an answer repeats itself: a look at its words alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, scored
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rouge import UnicodeTokenizer


class DistinctNgrams:
    """Counts word sequences, and different ones."""

    def __init__(self, n: int) -> None:
        """Count sequences of n words."""
        source = f"share of different sequences of {n} words, Li et al. 2016"
        self.metrics = (MetricCard(f"distinct_{n}grams", "", "", needs_answer=True, source=source),)
        self._n = n
        self._tokenizer = UnicodeTokenizer(stemmer=False)

    def not_applicable(self, case: Case) -> str:
        """Return nothing: it asks nothing of a case."""
        return ""

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score each answer by its own words."""
        (card,) = self.metrics
        return [Verdict((scored(card, self.share(each.answer.text or "")),)) for each in cases]

    def share(self, text: str) -> float:
        """Return the share of sequences that are not a repetition; 1 where there are fewer words than one sequence."""
        words = self._tokenizer.tokenize(text)
        sequences = [tuple(words[start : start + self._n]) for start in range(len(words) - self._n + 1)]
        return len(set(sequences)) / len(sequences) if sequences else 1.0


@evaluators.register("distinct_ngrams")
def distinct_ngrams(*, n: Annotated[int, Is("words of a sequence", minimum=1, maximum=20)] = 4) -> DistinctNgrams:
    """Measure the share of word sequences that are no repetition: near 0 for a model that is caught in a loop.

    Scale: [0, 1], higher is better. It says nothing of whether an answer is right.
    Not applicable: the recipe makes no answers.
    Source: Li et al. 2016, "A diversity-promoting objective function", arXiv:1510.03055 (distinct-n), of one answer.
    """
    return DistinctNgrams(n)
