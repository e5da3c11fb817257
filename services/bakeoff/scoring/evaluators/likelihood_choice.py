"""Whether the likeliest choice is the right one."""

from __future__ import annotations

from collections.abc import Callable

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.scoring.choice_cases import no_right_choice, no_right_choices, right_choices
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.likelihoods import Likelihood, likelihoods, unmeasured
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators

CARDS = (
    MetricCard("likelihood_choice_acc", "", "", binary=True, source="largest sum of log-probabilities"),
    MetricCard("likelihood_choice_acc_norm", "", "", binary=True, source="largest sum divided by characters"),
    MetricCard("likelihood_choice_acc_bytes", "", "", binary=True, source="largest sum divided by bytes of UTF-8"),
)
MEASURES: tuple[Callable[[Likelihood], float], ...] = (
    lambda one: one.sum,
    lambda one: one.per_char,
    lambda one: one.per_byte,
)


@evaluators.register("likelihood_choice")
def likelihood_choice() -> OneByOne:
    """Measure whether the choice that the model holds likeliest is right: by sum, by characters, by bytes.

    Of equally likely choices the first counts, as in the harness; the details say that there was a tie. An answer
    without log-probabilities failed, and the model is to blame.

    Scale: {0, 1}, higher is better; a mean is the share of right choices.
    Not applicable: the case has no choices or no right one.
    Source: Brown et al. 2020, arXiv:2005.14165; lm-evaluation-harness's acc, acc_norm and acc_bytes.
    """
    return OneByOne(CARDS, _no_right, _judge)


def _no_right(case: Case) -> str:
    reason = no_right_choice(case)
    return reason if reason and no_right_choices(case) else ""


def _judge(each: AnsweredCase) -> Verdict:
    found = likelihoods(each.answer, "choices")
    if found is None:
        return unmeasured(CARDS)
    choices = each.case.metadata["choices"]
    if not isinstance(choices, list | tuple) or len(choices) != len(found):
        raise InvalidInputError(f"case {each.case.case_id!r}: {len(found)} likelihoods are not those of {choices!r}")
    right = right_choices(each.case, len(found))
    scores, details = [], {}
    for card, measure in zip(CARDS, MEASURES, strict=True):
        values = [measure(one) for one in found]
        scores.append(scored(card, float(values.index(max(values)) in right)))
        details[card.name] = {"taken": values.index(max(values)), "tie": values.count(max(values)) > 1}
    return Verdict(tuple(scores), {"likelihood_choice": {**details, "sums": [one.sum for one in found]}})
