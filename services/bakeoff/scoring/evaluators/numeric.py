"""Equality of the number that an answer gives with the expected one."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.final_answer import final_answer, without_reasoning
from bakeoff.scoring.one_by_one import OneByOne, shown, unread
from bakeoff.scoring.quantities import Quantity, compare, quantities, quantity_of, whole_quantity
from bakeoff.scoring.registries import evaluators


@evaluators.register("numeric", version="2")
def numeric(
    *,
    tolerance: Annotated[float, Is("largest difference, as a share of the gold value", minimum=0)] = 0.0,
    percent: Annotated[bool, Is("whether a percent sign counts; if not, 27, 27% and 0.27 are one")] = True,
    scale: Annotated[bool, Is("whether a word of scale counts; if not, 5 and 5 million are one")] = True,
) -> OneByOne:
    """Measure whether the answer's number is the expected one; numbers are compared as numbers, so 2 is not 12.

    The number is the first one of the last explicit statement ("the answer is …", a box), or else the answer's last.
    An answer without a number failed to parse. Percent signs and words of scale that only one side has, and accounting
    parentheses, are told in the details.

    Scale: {0, 1}, higher is better; a mean is the share of right answers.
    Not applicable: the recipe makes no answers, or the case has no gold number.
    Source: none; typed comparison with the conventions of FinQA and TAT-QA for percent and scale.
    """
    name = f"numeric{'' if percent else '_any_percent'}{'' if scale else '_any_scale'}" + (
        f"@{tolerance:g}" if tolerance else ""
    )
    source = "equality of numbers, percent and scale understood"
    card = MetricCard(name, "", "", binary=True, needs_answer=True, source=source)
    same = partial(compare, tolerance=tolerance, percent=percent, scale=scale)

    def judge(each: AnsweredCase) -> Verdict:
        text = each.answer.text or ""
        found = answered_quantity(text)
        if found is None:
            return unread((card,), f"no number in the answer {shown(text)}")
        golds = gold_quantities(each.case)
        comparisons = [same(found, gold) for gold in golds]
        best = next((row for row, one in enumerate(comparisons) if one.equal), 0)
        details = {
            "extracted": found.text,
            "parentheses": found.parentheses,
            "percent_mismatch": comparisons[best].percent_mismatch,
            "scale_mismatch": comparisons[best].scale_mismatch,
        }
        return Verdict((scored(card, float(comparisons[best].equal)),), {name: details})

    return OneByOne((card,), no_gold_number, judge)


def no_gold_number(case: Case) -> str:
    """Return a reason when nothing that is expected is a number; empty when something is."""
    return "" if gold_quantities(case) else "the case has no gold number"


def gold_quantities(case: Case) -> list[Quantity]:
    """Return the numbers any of which is right: the gold answers', or else the expected value.

    A gold answer comes first because it may have a percent sign or a word of scale that the bare value lacks. The
    expected value of a case with choices is the index of one.
    """
    found = [quantity for answer in case.expected.answers if (quantity := _gold(answer))]
    value = case.expected.value
    if not found and isinstance(value, int | float) and not isinstance(value, bool) and "choices" not in case.metadata:
        return [quantity_of(value)]
    return found


def _gold(answer: str) -> Quantity | None:
    # A worked solution ends with its number.
    return whole_quantity(answer.rpartition("####")[2]) or whole_quantity(final_answer(answer) or "")


def answered_quantity(text: str) -> Quantity | None:
    """Return the number that an answer gives in the end; None when it gives none."""
    said = final_answer(text)
    if said is not None and (stated := quantities(said)):
        return stated[0]
    found = quantities(without_reasoning(text))
    return found[-1] if found else None
