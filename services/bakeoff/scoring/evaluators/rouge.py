"""Overlap of the answer with a gold summary: ROUGE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, scored
from bakeoff.scoring.extras import must_have
from bakeoff.scoring.gold import no_gold_answer
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rouge import rouge_score


class RougeEvaluator:
    """Measures F1, and shows precision and recall."""

    def __init__(self, card: MetricCard, variant: str, stemmer: bool, unicode: bool, split_sentences: bool) -> None:
        """Measure one variant."""
        self.metrics = (card,)
        self._variant = variant
        self._stemmer = stemmer
        self._unicode = unicode
        self._split = split_sentences

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no gold answer."""
        return no_gold_answer(case)

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score each answer by the gold answer that fits best."""
        return [self._judge(each) for each in cases]

    def _judge(self, each: AnsweredCase) -> Verdict:
        (card,) = self.metrics
        value = rouge_score(
            golds=each.case.expected.answers,
            answer=each.answer.text or "",
            variant=self._variant,
            stemmer=self._stemmer,
            unicode=self._unicode,
            split_sentences=self._split,
        )
        details: Json = {card.name: {"precision": value.precision, "recall": value.recall}}
        return Verdict((scored(card, value.f1),), details)


@evaluators.register("rouge")
def rouge(
    *,
    variant: Annotated[
        Literal["rouge1", "rouge2", "rougeL", "rougeLsum"], Is("what is compared: words, pairs, or sequences")
    ] = "rougeL",
    stemmer: Annotated[bool, Is("whether words are cut to their stems (Porter)")] = False,
    tokenizer: Annotated[
        Literal["default", "unicode"], Is("`default` knows a to z and digits only, as rouge-score; or any script")
    ] = "default",
    sentences: Annotated[
        Literal["split", "lines"], Is("of rougeLsum: found by their marks, or one a line as rouge-score has it")
    ] = "split",
) -> RougeEvaluator:
    """Measure the F1 of the words or sequences that the answer shares with a gold answer.

    Scale: [0, 1], higher is better. Everything that differs from rouge-score's defaults is in the metric's name:
    `_stem`, `_unicode`, and `_split` of a rougeLsum whose sentences were told apart first.
    Not applicable: the case has no gold answer, or the recipe makes no answers.
    Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries"; rouge-score 0.1.2, best gold answer.
    """
    must_have("rouge_score", "rouge")
    split = variant == "rougeLsum" and sentences == "split"
    marks = {"stem": stemmer, "unicode": tokenizer == "unicode", "split": split}
    name = "_".join([variant, *(mark for mark, on in marks.items() if on)])
    how = f"{'Porter stems' if stemmer else 'no stemming'}, {tokenizer} tokens"
    if variant == "rougeLsum":
        how += ", sentences " + ("split at their marks" if split else "one a line")
    card = MetricCard(name, "", "", needs_answer=True, source=f"rouge-score {variant} F1, {how}; best gold answer")
    return RougeEvaluator(card, variant, stemmer, tokenizer == "unicode", split)
