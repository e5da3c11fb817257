"""Whether an answer takes the right choice."""

from __future__ import annotations

from typing import Annotated

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.choice_cases import no_right_choice, right_choices
from bakeoff.scoring.choice_extraction import extract_choice
from bakeoff.scoring.choices import Choices
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.one_by_one import OneByOne, shown, unread
from bakeoff.scoring.registries import evaluators


@evaluators.register("choice_accuracy", version="2")
def choice_accuracy(
    *, case_sensitive: Annotated[bool, Is("whether a label counts only as it was shown: b is not B")] = False
) -> OneByOne:
    """Measure whether the answer takes the right one of several choices; the last explicit statement counts.

    An answer that takes none, or more than one, failed to parse; nothing is guessed.

    Scale: {0, 1}, higher is better; a mean is the share of right answers.
    Not applicable: the recipe makes no answers, or the case has no choices or no single right one.
    Source: none; generation scoring of multiple choice, with the extraction of `bakeoff.scoring.choice_extraction`.
    """
    name = "choice_accuracy_case_sensitive" if case_sensitive else "choice_accuracy"
    source = "the choice that the answer takes is the right one"
    card = MetricCard(name, "", "", binary=True, needs_answer=True, source=source)

    def judge(each: AnsweredCase) -> Verdict:
        choices = Choices.of(each.case, case_sensitive=case_sensitive)
        right = right_choices(each.case, len(choices.texts))
        text = each.answer.text or ""
        found = extract_choice(text, choices)
        if found.chosen is None:
            return unread((card,), f"no choice in the answer {shown(text)}: {found.reason}")
        details = {"extracted": choices.labels[found.chosen[0]], "by": found.by}
        return Verdict((scored(card, float(set(found.chosen) == right)),), {name: details})

    return OneByOne((card,), no_right_choice, judge)
