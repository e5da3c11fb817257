"""The evaluation type key3_q_choices_as: several choices may be right."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.choice_cases import no_choices, no_right_choices, right_choices
from bakeoff.scoring.choice_extraction import extract_choices
from bakeoff.scoring.choices import Choices
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.official_choices import choice_set, label_set
from bakeoff.scoring.one_by_one import OneByOne, shown, unread
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.set_figures import set_figures


@evaluators.register("key3_q_choices_as", version="2")
def key3_q_choices_as(
    *,
    mode: Annotated[
        Literal["official", "strict"], Is("every single letter that stands there, or what is said")
    ] = "strict",
) -> OneByOne:
    """Measure how well the choices that the answer takes fit the right ones: F1, Jaccard's index, equality.

    An answer that takes no set failed to parse. What the unified bench evaluator calls micro_f1_mean is the mean of F1
    over the valid answers; its F1 of two empty sets is 0.

    Scale: [0, 1], higher is better.
    Not applicable: the recipe makes no answers, or the case has no choices or no right ones.
    Source: OpenDCAI/DataFlow, UnifiedBenchDatasetEvaluator, key3_q_choices_as; strict as choices_f1.
    """
    names = [f"key3_q_choices_as_{figure}_{mode}" for figure in ("f1", "jaccard", "exact")]
    source = f"key3_q_choices_as, {mode}"
    cards = tuple(
        MetricCard(name, "", "", binary="_exact_" in name, needs_answer=True, source=source) for name in names
    )

    def judge(each: AnsweredCase) -> Verdict:
        choices = Choices.of(each.case)
        text = each.answer.text or ""
        if mode == "official":
            right = _official_labels(each, len(choices.texts))
            found = choice_set(text, len(choices.texts))
        else:
            right = right_choices(each.case, len(choices.texts))
            chosen = extract_choices(text, choices).chosen
            found = None if chosen is None else set(chosen)
        if found is None:
            return unread(cards, f"no choices in the answer {shown(text)}: parse_failed")
        figures = set_figures(found, right, empty=0.0 if mode == "official" else 1.0)
        scores = tuple(
            scored(card, value) for card, value in zip(cards, (figures.f1, figures.jaccard, figures.exact), strict=True)
        )
        details = {
            "pred_set": sorted(found),
            "gold_set": sorted(right),
            "precision": figures.precision,
            "recall": figures.recall,
        }
        return Verdict(scores, {f"key3_q_choices_as_{mode}": details})

    return OneByOne(cards, no_choices if mode == "official" else no_right_choices, judge)


def _official_labels(each: AnsweredCase, count: int) -> set[int]:
    # As they were written, where the adapter kept that.
    right = label_set(each.case.expected.metadata.get("labels", each.case.expected.value), count)
    if right is None:
        raise InvalidInputError(f"case {each.case.case_id!r}: parse_failed: there are no labels")
    return right
