"""Whether an answer is JSON."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.json_answers import NotJsonError, json_of
from bakeoff.scoring.one_by_one import OneByOne, every_case
from bakeoff.scoring.registries import evaluators


@evaluators.register("json_valid")
def json_valid(
    *, fenced: Annotated[bool, Is("whether a Markdown fence around the JSON is overlooked")] = True
) -> OneByOne:
    """Measure whether the answer is one JSON value and nothing else.

    Scale: {0, 1}, higher is better; a mean is the share of valid answers.
    Not applicable: the recipe makes no answers.
    Source: RFC 8259; a key that an object has twice is refused.
    """
    name = "json_valid" if fenced else "json_valid_bare"
    card = MetricCard(name, "", "", binary=True, needs_answer=True, source="RFC 8259")

    def judge(each: AnsweredCase) -> Verdict:
        try:
            json_of(each.answer.text or "", fenced=fenced)
        except NotJsonError as error:
            return Verdict((scored(card, 0.0),), {name: {"problem": str(error)}})
        return Verdict((scored(card, 1.0),))

    return OneByOne((card,), every_case, judge)
