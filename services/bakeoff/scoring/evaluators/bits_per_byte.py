"""How many bits a model needs for a byte of a text."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.evaluators.perplexity import no_text
from bakeoff.scoring.gold import no_gold_answer
from bakeoff.scoring.likelihoods import likelihoods, unmeasured
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators


@evaluators.register("bits_per_byte", version="2")
def bits_per_byte(
    *,
    of: Annotated[
        Literal["text", "answer"], Is("what is predicted: the case's own text, or its first gold answer")
    ] = "text",
) -> OneByOne:
    """Measure how many bits a model needs for a byte of a text.

    Lower is better, and there is no worst value: a failed case is counted as failed, and left out of the mean. The mean
    is one over cases; beside it the report has the figure of the whole corpus, in which cases weigh by their bytes.

    Scale: [0, ∞), lower is better.
    Not applicable: the case has no such text, or the recipe asks for no likelihoods of it.
    Source: Gao et al. 2020, "The Pile", arXiv:2101.00027, section 3.1.
    """
    card = MetricCard(
        f"bits_per_byte_{of}",
        "",
        "",
        maximum=None,
        source="bits per byte of UTF-8; lower is better",
        lower_is_better=True,
        pooling="weighted_mean",
    )

    def judge(each: AnsweredCase) -> Verdict:
        found = likelihoods(each.answer, of)
        if found is None:
            return unmeasured((card,), each.answer)
        (one,) = found
        return Verdict((scored(card, one.bits_per_byte, one.bytes),), {card.name: {"sum": one.sum, "units": one.bytes}})

    return OneByOne((card,), no_gold_answer if of == "answer" else no_text, judge)
