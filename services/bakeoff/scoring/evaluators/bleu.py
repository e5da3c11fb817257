"""Overlap of the answer's word sequences with gold answers: BLEU."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.corpus_overlap import Overlap, OverlapMetric, tokenizer_for
from bakeoff.scoring.extras import must_have
from bakeoff.scoring.overlap_evaluator import OverlapEvaluator
from bakeoff.scoring.registries import evaluators


@evaluators.register("bleu")
def bleu(
    *,
    tokenizer: Annotated[
        Literal["auto", "13a", "intl", "zh", "char", "none"],
        Is("sacrebleu's name; `auto` goes by the case's label `language`, else by its gold answers' script"),
    ] = "auto",
    order: Annotated[int, Is("longest word sequences that count", minimum=1, maximum=9)] = 4,
    lowercase: Annotated[bool, Is("whether case is ignored")] = False,
    smoothing: Annotated[Literal["exp", "none"], Is("what stands in for an order without a match")] = "exp",
    effective_order: Annotated[bool, Is("whether a short text is compared by the orders that it has")] = True,
) -> OverlapEvaluator:
    """Measure sentence BLEU: the precision of word sequences, with a penalty for answers that are too short.

    Scale: [0, 100], higher is better. Texts shorter than `order` words are compared by the orders that they have
    (sacrebleu's `eff:yes`) unless that is turned off, and are marked `short` in the details. Corpus BLEU is
    `corpus_score` over the details' `statistics`, not the mean.
    Not applicable: the case has no gold answer, or the recipe makes no answers.
    Source: Papineni et al. 2002, "BLEU"; Post 2018, arXiv:1804.08771, as sacrebleu 2.6.
    """
    must_have("sacrebleu", "bleu")
    marks = ["bleu" if order == 4 else f"bleu{order}"]
    marks += [] if tokenizer == "auto" else [tokenizer]
    marks += ["lowercase"] if lowercase else []
    marks += [] if smoothing == "exp" else ["unsmoothed"]
    marks += [] if effective_order else ["fixed_order"]
    case = "lc" if lowercase else "mixed"
    card = MetricCard(
        "_".join(marks),
        "",
        "",
        maximum=100.0,
        needs_answer=True,
        source=f"sacrebleu case:{case}|eff:{'yes' if effective_order else 'no'}|tok:{tokenizer}|smooth:{smoothing}, "
        f"order {order}; details have each signature",
    )
    settings: Json = {
        "effective_order": effective_order,
        "lowercase": lowercase,
        "max_ngram_order": order,
        "smooth_method": smoothing,
    }

    def metric_of(asked: Case) -> OverlapMetric:
        chosen: str = tokenizer
        if tokenizer == "auto":
            chosen = tokenizer_for(asked.labels.get("language", ""), asked.expected.answers)
        return OverlapMetric("BLEU", {**settings, "tokenize": chosen})

    return OverlapEvaluator(card, metric_of, more=partial(_length, order=order))


def _length(overlap: Overlap, order: int) -> Json:
    answer, gold = overlap.statistics[:2]
    return {"short": min(answer, gold) < order}
