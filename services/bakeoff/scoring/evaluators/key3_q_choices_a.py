"""The evaluation type key3_q_choices_a, read out of generated text."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.choice_cases import no_choices, no_right_choice, right_choices
from bakeoff.scoring.choice_extraction import Extraction, extract_choice
from bakeoff.scoring.choices import Choices
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.official_choices import first_choice, label_index
from bakeoff.scoring.one_by_one import OneByOne, shown, unread
from bakeoff.scoring.registries import evaluators


@evaluators.register("key3_q_choices_a", version="2")
def key3_q_choices_a(
    *,
    mode: Annotated[
        Literal["official", "strict"], Is("the first letter wherever it stands, or what the answer says")
    ] = "strict",
) -> OneByOne:
    """Measure whether the answer takes the right choice, as the unified bench evaluator does or as a reader would.

    An answer that takes no choice failed to parse. The official figure is the mean over the valid answers alone.

    Scale: {0, 1}, higher is better; a mean is the share of right answers.
    Not applicable: the recipe makes no answers, or the case has no choices or no right one.
    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, key3_q_choices_a without a model; strict as
        choice_accuracy.
    """
    name = f"key3_q_choices_a_{mode}"
    card = MetricCard(name, "", "", binary=True, needs_answer=True, source=f"key3_q_choices_a from text, {mode}")

    def judge(each: AnsweredCase) -> Verdict:
        choices = Choices.of(each.case)
        text = each.answer.text or ""
        if mode == "official":
            right = _official_label(each, len(choices.texts))
            row = first_choice(text, len(choices.texts))
            found = Extraction(None if row is None else (row,), "first", "parse_failed" if row is None else "")
        else:
            (right,) = right_choices(each.case, len(choices.texts))
            found = extract_choice(text, choices)
        if found.chosen is None:
            return unread((card,), f"no choice in the answer {shown(text)}: {found.reason}")
        details = {"extracted": found.chosen[0], "by": found.by}
        return Verdict((scored(card, float(found.chosen == (right,))),), {name: details})

    return OneByOne((card,), no_choices if mode == "official" else no_right_choice, judge)


def _official_label(each: AnsweredCase, count: int) -> int:
    # As it was written, where the adapter kept that: the official rule counts from 0 before it counts from 1.
    label = each.case.expected.metadata.get("label", each.case.expected.value)
    row = label_index(label, count)
    if row is None:
        raise InvalidInputError(
            f"case {each.case.case_id!r}: invalid_label: {label!r} is no label among {count} choices"
        )
    return row
