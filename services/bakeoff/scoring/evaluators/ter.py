"""How little of the answer would have to be edited: the complement of the translation edit rate."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain.benchmark import Json
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.corpus_overlap import Overlap, OverlapMetric
from bakeoff.scoring.extras import must_have
from bakeoff.scoring.overlap_evaluator import OverlapEvaluator
from bakeoff.scoring.registries import evaluators


@evaluators.register("ter")
def ter(
    *,
    case_sensitive: Annotated[bool, Is("whether case counts")] = False,
    asian: Annotated[bool, Is("whether Chinese and Japanese are compared by characters")] = False,
) -> OverlapEvaluator:
    """Measure 100 minus the translation edit rate, at least 0: what was right without an edit.

    An edit rate is better when it is lower, and a failed case would count as perfect in a mean; the complement is
    reported instead, under its own name `ter_complement`. The rate itself is `ter` in the details, and the corpus
    rate is `corpus_score` over the details' `statistics`.

    Scale: [0, 100], higher is better.
    Not applicable: the case has no gold answer, or the recipe makes no answers.
    Source: Snover et al. 2006, "A study of translation edit rate", as sacrebleu 2.6.
    """
    must_have("sacrebleu", "ter")
    marks = ["ter_complement", *(["cased"] if case_sensitive else []), *(["asian"] if asian else [])]
    source = f"100 - sacrebleu TER, case:{'mixed' if case_sensitive else 'lc'}|asian:{'yes' if asian else 'no'}"
    card = MetricCard("_".join(marks), "", "", maximum=100.0, needs_answer=True, source=source)
    metric = OverlapMetric("TER", {"case_sensitive": case_sensitive, "asian_support": asian, "normalized": asian})
    return OverlapEvaluator(card, lambda case: metric, value=_complement, more=_rate)


def _complement(overlap: Overlap) -> float:
    return max(100.0 - overlap.score, 0.0)


def _rate(overlap: Overlap) -> Json:
    return {"ter": overlap.score}
