"""The evaluation type key1_text_score: how likely a model holds the case's own text."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.likelihoods import likelihoods, unmeasured
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators


@evaluators.register("key1_text_score", version="3")
def key1_text_score(
    *,
    mode: Annotated[Literal["official", "strict"], Is("perplexity, or the mean probability of a byte")] = "strict",
) -> OneByOne:
    """Measure how well a model predicts a text.

    The official mode is the perplexity of a token. It is lower when better and differs with the tokenizer; a failed
    case is counted as failed, and left out of its mean, which is one over cases. The strict mode is the geometric mean
    of the probability of a byte, 2 to the power of minus bits per byte: it can be compared between models, and a failed
    case counts as 0. Perplexity and bits per byte stand in the details. An answer of an endpoint that gives no
    log-probabilities failed, and the model is to blame.

    Scale: official [1, ∞), lower is better; strict (0, 1], higher is better.
    Not applicable: the case has no text, or the recipe asks for no likelihoods of texts.
    Source: Jelinek et al. 1977 for perplexity; OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, ppl_mean; Gao et al.
        2020, "The Pile", arXiv:2101.00027, for bits per byte.
    """
    official = mode == "official"
    name = f"key1_text_score_{'ppl' if official else 'byte_probability'}_{mode}"
    card = (
        MetricCard(
            name,
            "",
            "",
            minimum=1.0,
            maximum=None,
            source="perplexity of a token; lower is better",
            lower_is_better=True,
            pooling="weighted_geometric_mean",
        )
        if official
        else MetricCard(
            name, "", "", source="geometric mean of the probability of a byte", pooling="weighted_geometric_mean"
        )
    )

    def judge(each: AnsweredCase) -> Verdict:
        found = likelihoods(each.answer, "text")
        if found is None:
            return unmeasured((card,), each.answer)
        (text,) = found
        value = text.perplexity if official else math.exp(text.per_byte)
        details = {"perplexity": text.perplexity, "bits_per_byte": -text.per_byte / math.log(2), "sum": text.sum}
        weight = text.tokens if official else text.bytes
        return Verdict((scored(card, value, weight),), {name: details})

    return OneByOne((card,), _no_text, judge)


def _no_text(case: Case) -> str:
    return "" if case.query.strip() else "the case has no text"
