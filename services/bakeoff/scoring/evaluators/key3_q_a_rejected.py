"""The evaluation type key3_q_a_rejected: whether the better text of a pair is the likelier one."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.likelihoods import likelihoods, unmeasured
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators


@evaluators.register("key3_q_a_rejected", version="2")
def key3_q_a_rejected(
    *,
    mode: Annotated[
        Literal["official", "strict"], Is("compare sums, or log-probabilities per byte; a tie is a half")
    ] = "strict",
) -> OneByOne:
    """Measure whether the model holds the better text likelier than the rejected one.

    The official mode compares sums, which favours the shorter text, and a tie is lost. The strict mode compares means
    per byte, and a tie is half won. Both sums and means stand in the details. An answer of an endpoint
    that gives no log-probabilities failed, and the model is to blame.

    Scale: [0, 1], higher is better; a mean is the share of pairs won.
    Not applicable: the case has no pair of texts, or the recipe asks for no likelihoods.
    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, key3_q_a_rejected; strict as Rafailov et al. 2023,
        arXiv:2305.18290, in its reward accuracy, normalised by length.
    """
    official = mode == "official"
    name = f"key3_q_a_rejected_{mode}"
    source = "larger sum of log-probabilities" if official else "larger mean log-probability of a byte; ties count half"
    card = MetricCard(name, "", "", binary=official, source=source)

    def judge(each: AnsweredCase) -> Verdict:
        pair = likelihoods(each.answer, "better"), likelihoods(each.answer, "rejected")
        if pair[0] is None or pair[1] is None:
            return unmeasured((card,), each.answer)
        (better,), (rejected,) = pair[0], pair[1]
        left, right = (better.sum, rejected.sum) if official else (better.per_byte, rejected.per_byte)
        value = 0.5 if left == right and not official else float(left > right)
        details = {
            "ll_better": better.sum,
            "ll_rejected": rejected.sum,
            "per_byte_better": better.per_byte,
            "per_byte_rejected": rejected.per_byte,
            "tie": left == right,
        }
        return Verdict((scored(card, value),), {name: details})

    return OneByOne((card,), _no_pair, judge)


def _no_pair(case: Case) -> str:
    for side in ("better", "rejected"):
        text = case.expected.metadata.get(side)
        if not isinstance(text, str) or not text.strip():
            return f"the case has no {side} text"
    return ""
