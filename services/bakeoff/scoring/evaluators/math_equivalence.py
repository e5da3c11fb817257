"""Whether the answer is mathematically equal to a gold answer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Literal

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, ScoringContext, Verdict, failed, scored
from bakeoff.scoring.extras import must_have
from bakeoff.scoring.gold import no_gold_answer
from bakeoff.scoring.math_equality import MathComparison, official_comparison, strict_comparison, warm_up
from bakeoff.scoring.process_pool import ProcessPool
from bakeoff.scoring.registries import evaluators


@cache
def _pool() -> ProcessPool:
    # One for all evaluations of this process: each child holds about 100 MB of sympy.
    return ProcessPool(min(os.cpu_count() or 1, 4), prepare=warm_up)


class MathEquivalence:
    """Compares in processes that are replaced when they hang, leak or crash."""

    def __init__(self, card: MetricCard, official: bool, time_limit_s: float) -> None:
        """Compare as math-verify does by itself, or as a careful reader does."""
        self.metrics = (card,)
        self._official = official
        self._time_limit_s = time_limit_s

    def not_applicable(self, case: Case) -> str:
        """Return a reason when there is no gold answer."""
        return no_gold_answer(case)

    def score(self, cases: Sequence[AnsweredCase], context: ScoringContext) -> list[Verdict]:
        """Score 1 where any gold answer is equal; what cannot be compared fails its case alone."""
        compare = official_comparison if self._official else strict_comparison
        rows = [(each.case.expected.answers, each.answer.text or "") for each in cases]
        return [self._verdict(end) for end in _pool().run_all(compare, rows, deadline_s=self._time_limit_s)]

    def _verdict(self, end: object) -> Verdict:
        (card,) = self.metrics
        if not isinstance(end, MathComparison):
            reason = f"the mathematics could not be compared: {type(end).__name__}: {end}"
            return Verdict((failed(card.name, Failure(FailureKind.JUDGE, reason)),))
        if end.equal is None:
            reason = "no mathematics was found in the answer"
            return Verdict((failed(card.name, Failure(FailureKind.PARSE, reason)),))
        shown = {"gold": end.gold, "answer": end.answer} | ({"assumed": end.assumed} if end.assumed else {})
        return Verdict((scored(card, float(end.equal)),), {card.name: shown})


@evaluators.register("math_equivalence")
def math_equivalence(
    *,
    mode: Annotated[
        Literal["strict", "official"], Is("as a careful reader, or as math-verify by itself with its false positives")
    ] = "strict",
    time_limit_s: Annotated[float, Is("seconds for one comparison", minimum=0.1)] = 10.0,
) -> MathEquivalence:
    """Measure whether the answer is mathematically equal to a gold answer: 0.5 and 1/2, 50% and 0.5, x=5 and 5.

    Scale: {0, 1}, higher is better; a mean is the share of right answers. Failed: no mathematics was found in the
    answer (strict mode), or the comparison took too long.
    Not applicable: the case has no gold answer, or the recipe makes no answers.
    Source: math-verify 0.9; what the strict mode adds is told by `strict_comparison` in `bakeoff.scoring`.
    """
    must_have("math_verify", "math_equivalence")
    name = "math_equivalence" if mode == "strict" else "math_equivalence_official"
    source = f"math-verify, gold first, {mode}"
    return MathEquivalence(
        MetricCard(name, "", "", binary=True, needs_answer=True, source=source), mode == "official", time_limit_s
    )
