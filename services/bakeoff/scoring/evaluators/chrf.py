"""Overlap of the answer's character sequences with gold answers: chrF."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.corpus_overlap import OverlapMetric
from bakeoff.scoring.extras import must_have
from bakeoff.scoring.overlap_evaluator import OverlapEvaluator
from bakeoff.scoring.registries import evaluators


@evaluators.register("chrf")
def chrf(
    *,
    word_order: Annotated[int, Is("longest word sequences that count beside characters; 2 is chrF++", minimum=0)] = 0,
    lowercase: Annotated[bool, Is("whether case is ignored")] = False,
) -> OverlapEvaluator:
    """Measure the F2 of character sequences up to length 6, and of word sequences when asked for.

    Scale: [0, 100], higher is better. Corpus chrF is `corpus_score` over the details' `statistics`, not the mean.
    Not applicable: the case has no gold answer, or the recipe makes no answers.
    Source: Popović 2015, "chrF"; Popović 2017, "chrF++"; as sacrebleu 2.6.
    """
    must_have("sacrebleu", "chrf")
    name = {0: "chrf", 2: "chrf++"}.get(word_order, f"chrf_words{word_order}") + ("_lowercase" if lowercase else "")
    case = "lc" if lowercase else "mixed"
    source = f"sacrebleu case:{case}|eff:yes|nc:6|nw:{word_order}|space:no; details have each signature"
    card = MetricCard(name, "", "", maximum=100.0, needs_answer=True, source=source)
    metric = OverlapMetric("CHRF", {"word_order": word_order, "lowercase": lowercase})
    return OverlapEvaluator(card, lambda case: metric)
