"""Whether the likeliest choice is the right one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

from bakeoff.domain.benchmark import Case, Json
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.choice_cases import no_right_choice, no_right_choices, right_choices
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.likelihoods import Likelihood, likelihoods, unmeasured
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators

NAME = "likelihood_choice"
CARDS = (
    MetricCard("likelihood_choice_acc", "", "", binary=True, source="largest sum of log-probabilities"),
    MetricCard("likelihood_choice_acc_norm", "", "", binary=True, source="largest sum divided by characters"),
    MetricCard("likelihood_choice_acc_bytes", "", "", binary=True, source="largest sum divided by bytes of UTF-8"),
)
MUTUAL = MetricCard(
    "likelihood_choice_acc_mutual_info", "", "", binary=True, source="largest sum less that without the question"
)
MEASURES: tuple[Callable[[Likelihood], float], ...] = (
    lambda one: one.sum,
    lambda one: one.per_char,
    lambda one: one.per_byte,
)


@evaluators.register("likelihood_choice", version="2")
def likelihood_choice(
    *,
    mutual_info: Annotated[
        bool, Is("whether choices are also ranked by how much likelier the question makes them")
    ] = False,
) -> OneByOne:
    """Measure whether the choice that the model finds likeliest is right: by sum, by characters, by bytes.

    Of equally likely choices the first counts, as in the harness; the details say that there was a tie. An answer of
    an endpoint that gives no log-probabilities failed, and the model is to blame; `choice_accuracy` scores what was
    generated in its place, under that name.

    Scale: {0, 1}, higher is better; a mean is the share of right choices.
    Not applicable: the case has no choices or no right one, or the recipe asks for no likelihoods.
    Source: Brown et al. 2020, arXiv:2005.14165, also for the division by the likelihood without the question, in
        whose place it has the context `Answer:`; lm-evaluation-harness's acc, acc_norm, acc_bytes and acc_mutual_info.
    """
    if not mutual_info:
        return OneByOne(CARDS, _no_right, _judge)
    return OneByOne((*CARDS, MUTUAL), _no_right, _judge_with_mutual_info)


def _no_right(case: Case) -> str:
    reason = no_right_choice(case)
    return reason if reason and no_right_choices(case) else ""


def _judge(each: AnsweredCase) -> Verdict:
    found = _found(each, "choices")
    if found is None:
        return unmeasured(CARDS, each.answer)
    measured = [(card, [measure(one) for one in found]) for card, measure in zip(CARDS, MEASURES, strict=True)]
    return _verdict(each, measured, {"sums": [one.sum for one in found]})


def _judge_with_mutual_info(each: AnsweredCase) -> Verdict:
    told = _judge(each)
    found, alone = _found(each, "choices"), _found(each, "unconditional")
    if found is None or alone is None:
        return Verdict((*told.scores, *unmeasured((MUTUAL,), each.answer).scores), told.details)
    gained = [one.sum - without.sum for one, without in zip(found, alone, strict=True)]
    more = _verdict(each, [(MUTUAL, gained)], {})
    details: Json = {NAME: {**_details(told), **_details(more)}}
    return Verdict((*told.scores, *more.scores), details)


def _found(each: AnsweredCase, name: str) -> tuple[Likelihood, ...] | None:
    found = likelihoods(each.answer, name)
    choices = each.case.metadata["choices"]
    if found is not None and (not isinstance(choices, list | tuple) or len(choices) != len(found)):
        raise InvalidInputError(f"case {each.case.case_id!r}: {len(found)} likelihoods are not those of {choices!r}")
    return found


def _verdict(each: AnsweredCase, measured: Sequence[tuple[MetricCard, list[float]]], details: Json) -> Verdict:
    scores, told = [], dict(details)
    for card, values in measured:
        taken = values.index(max(values))
        scores.append(scored(card, float(taken in right_choices(each.case, len(values)))))
        told[card.name] = {"taken": taken, "tie": values.count(max(values)) > 1}
    return Verdict(tuple(scores), {NAME: told})


def _details(verdict: Verdict) -> Json:
    told = verdict.details.get(NAME)
    return told if isinstance(told, dict) else {}
