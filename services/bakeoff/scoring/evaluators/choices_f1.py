"""How well the choices that an answer takes fit the right ones."""

from __future__ import annotations

from bakeoff.domain.score import MetricCard
from bakeoff.scoring.choice_cases import no_right_choices, right_choices
from bakeoff.scoring.choice_extraction import extract_choices
from bakeoff.scoring.choices import Choices
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.one_by_one import OneByOne, shown, unread
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.set_figures import set_figures

CARDS = (
    MetricCard("choices_f1", "", "", needs_answer=True, source="F1 of the set of choices; mean over cases"),
    MetricCard("choices_jaccard", "", "", needs_answer=True, source="Jaccard 1912, of the sets of choices"),
    MetricCard("choices_exact", "", "", binary=True, needs_answer=True, source="equality of the sets of choices"),
)


@evaluators.register("choices_f1", version="2")
def choices_f1() -> OneByOne:
    """Measure how well the set of choices that an answer takes fits the right set: F1, Jaccard's index, equality.

    An answer that takes no set failed to parse; one that says that no choice is right takes the empty set.

    Scale: [0, 1], higher is better; two empty sets have 1. Means are over cases, so choices_f1 is a macro average.
    Not applicable: the recipe makes no answers, or the case has no choices or no set of right ones.
    Source: van Rijsbergen 1979 for F1; Jaccard 1912.
    """
    return OneByOne(CARDS, no_right_choices, _judge)


def _judge(each: AnsweredCase) -> Verdict:
    choices = Choices.of(each.case)
    right = right_choices(each.case, len(choices.texts))
    text = each.answer.text or ""
    found = extract_choices(text, choices)
    if found.chosen is None:
        return unread(CARDS, f"no choices in the answer {shown(text)}: {found.reason}")
    figures = set_figures(set(found.chosen), right)
    values = (figures.f1, figures.jaccard, figures.exact)
    details = {
        "extracted": [choices.labels[row] for row in found.chosen],
        "by": found.by,
        "precision": figures.precision,
        "recall": figures.recall,
    }
    scores = tuple(scored(card, value) for card, value in zip(CARDS, values, strict=True))
    return Verdict(scores, {"choices_f1": details})
