"""Whether an answer matches a regular expression."""

from __future__ import annotations

import re
from typing import Annotated

from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.one_by_one import OneByOne, every_case
from bakeoff.scoring.registries import evaluators


@evaluators.register("regex")
def regex(
    *,
    pattern: Annotated[str, Is("Python regular expression; $ and ^ are the ends of the answer")],
    whole: Annotated[bool, Is("whether it must match the whole answer, not only a part")] = False,
    ignore_case: Annotated[bool, Is("whether capital and small letters are the same")] = False,
    name: Annotated[str, Is("what the metric's name says of the pattern; empty means the start of its digest")] = "",
) -> OneByOne:
    """Measure whether the answer matches a pattern.

    A pattern with nested repetitions can take very long; it comes from who writes the evaluation, never from a model.

    Scale: {0, 1}, higher is better; a mean is the share of answers that match.
    Not applicable: the recipe makes no answers.
    Source: none.

    Raises:
        InvalidInputError: the pattern is no regular expression.
    """
    try:
        compiled = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        problem = f"{pattern!r} is no regular expression: {error}"
        raise InvalidInputError("the evaluator regex cannot be made", [Violation("regex.pattern", problem)]) from error
    match = compiled.fullmatch if whole else compiled.search
    metric = f"regex_{name or sha256_hex(pattern.encode())[:8]}"
    card = MetricCard(metric, "", "", binary=True, needs_answer=True, source=f"a match of {pattern}")

    def judge(each: AnsweredCase) -> Verdict:
        found = match(each.answer.text or "")
        return Verdict((scored(card, float(found is not None)),), {metric: {"match": found.group() if found else None}})

    return OneByOne((card,), every_case, judge)
