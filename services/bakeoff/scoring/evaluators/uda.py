"""The measures of UDA's own scripts."""

from __future__ import annotations

from typing import Annotated, Literal

from bakeoff.domain.benchmark import Case
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.gold import no_gold_answer
from bakeoff.scoring.one_by_one import OneByOne
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.uda_rules import REFERENCES, fin_right, reference_f1, tat_scores

Subset = Literal["fin", "tat", "paper", "nq", "feta"]


@evaluators.register("uda")
def uda(*, subset: Annotated[Subset, Is("whose script; paper is both PaperText and PaperTab")] = "paper") -> OneByOne:
    """Measure as the script of a UDA subset does, with what it gets wrong.

    fin: equality within 1 %, words of scale overlooked. tat: exact match and F1, the scale in
    `expected.metadata["scale"]`. paper: token F1 with the first three references. nq, feta: token F1 with any gold
    answer. The scripts leave answers that failed out of their denominators: that is the mean over the valid cases.

    Scale: [0, 1], higher is better; fin and tat's exact match are 0 or 1.
    Not applicable: the recipe makes no answers, or the case has no gold answer.
    Source: Hui et al. 2024, "UDA", arXiv:2406.15187.
    """
    figures = {"fin": ("em",), "tat": ("em", "f1")}.get(subset, ("f1",))
    cards = tuple(
        MetricCard(
            f"uda_{subset}_{figure}_official", "", "", binary=figure == "em", needs_answer=True, source=f"UDA, {subset}"
        )
        for figure in figures
    )

    def judge(each: AnsweredCase) -> Verdict:
        values = _values(subset, each.case, each.answer.text or "")
        return Verdict(tuple(scored(card, value) for card, value in zip(cards, values, strict=True)))

    return OneByOne(cards, no_gold_answer, judge)


def _values(subset: Subset, case: Case, answer: str) -> tuple[float, ...]:
    golds = case.expected.answers
    if subset == "fin":
        value = case.expected.value
        computed = [str(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []
        return (float(fin_right(answer, [*golds, *computed])),)
    if subset == "tat":
        return tat_scores(answer, golds, str(case.expected.metadata.get("scale") or ""))
    return (reference_f1(answer, golds[:REFERENCES] if subset == "paper" else golds),)
