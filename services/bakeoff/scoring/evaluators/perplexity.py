"""How well a model predicts a text: perplexity of a token, a word or a byte."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Literal

from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.gold import no_gold_answer
from bakeoff.scoring.likelihoods import Likelihood, likelihoods, perplexity_of, unmeasured
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators

Unit = Literal["token", "word", "byte"]
SPACE = re.compile(r"\s+")
COUNTS: dict[str, Callable[[Likelihood, str], int]] = {
    "token": lambda found, text: found.tokens,
    "word": lambda found, text: len(SPACE.split(text)),
    "byte": lambda found, text: found.bytes,
}


@evaluators.register("perplexity", version="2")
def perplexity(
    *,
    of: Annotated[
        Literal["text", "answer"], Is("what is predicted: the case's own text, or its first gold answer")
    ] = "text",
    per: Annotated[Unit, Is("what is counted")] = "word",
) -> OneByOne:
    """Measure how well a model predicts a text: e to the power of minus its log-probability by token, word or byte.

    Lower is better, and there is no worst value: a failed case is counted as failed, and left out of the mean. The mean
    is one over cases; beside it the report has the figure of the whole corpus, e to the power of minus all
    log-probabilities by all units, as `bakeoff.scoring.likelihoods.corpus_perplexity`. A token's perplexity cannot be
    compared between models with different tokenizers; a word's and a byte's can. A text alone has no probability for
    its first token, which is left out of the sum and counted as the unit that it is, save among tokens.

    Scale: [1, ∞), lower is better.
    Not applicable: the case has no such text, or the recipe asks for no likelihoods of it.
    Source: Jelinek et al. 1977; lm-evaluation-harness's word_perplexity and byte_perplexity, words being what stands
        between white space.
    """
    card = MetricCard(
        f"perplexity_{of}_{per}",
        "",
        "",
        minimum=1.0,
        maximum=None,
        source=f"perplexity of a {per}; lower is better",
        lower_is_better=True,
        pooling="weighted_geometric_mean",
    )

    def judge(each: AnsweredCase) -> Verdict:
        found = likelihoods(each.answer, of)
        if found is None:
            return unmeasured((card,), each.answer)
        (one,) = found
        units = COUNTS[per](one, _text(each.case, of))
        details = {"sum": one.sum, "units": units, "bytes": one.bytes}
        return Verdict((scored(card, perplexity_of(one.sum, units), units),), {card.name: details})

    return OneByOne((card,), no_gold_answer if of == "answer" else no_text, judge)


def no_text(case: Case) -> str:
    """Return a reason when a case has no text of its own; empty when it has."""
    return "" if case.query.strip() else "the case has no text"


def _text(case: Case, of: str) -> str:
    return case.expected.answers[0] if of == "answer" else case.query
