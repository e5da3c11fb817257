"""Whether the letter that a published harness reads out of an answer is the right one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.choice_cases import no_right_choice, right_choices
from bakeoff.scoring.choices import Choices
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.official_letters import cmmlu_choice, first_capital, first_option, last_option, lm_eval_choice
from bakeoff.scoring.one_by_one import OneByOne, shown, unread
from bakeoff.scoring.registries import evaluators

Rule = Literal["first_option", "first_capital", "last_option", "cmmlu", "lm_eval"]
RULES: dict[str, Callable[[str, Sequence[str]], str | None]] = {
    "first_option": first_option,
    "first_capital": first_capital,
    "last_option": last_option,
    "cmmlu": cmmlu_choice,
    "lm_eval": lm_eval_choice,
}


@evaluators.register("choice_letter")
def choice_letter(*, rule: Annotated[Rule, Is("whose script reads the letter")] = "first_option") -> OneByOne:
    """Measure whether an answer takes the right choice as a published harness reads it, with what it gets wrong.

    What a careful reader would read is told by choice_accuracy. An answer in which the rule finds no letter failed to
    parse and counts as wrong, as it does in the harnesses; a letter that is no label is wrong.

    Scale: {0, 1}, higher is better; a mean is the share of right answers.
    Not applicable: the recipe makes no answers, or the case has no choices or no single right one.
    Source: open-compass/opencompass and AISBench/benchmark for `first_option`, `first_capital` and `last_option`; Li
        et al. 2023, arXiv:2306.09212, for `cmmlu`; EleutherAI/lm-evaluation-harness, mmlu_generative, for `lm_eval`.
    """
    name = f"choice_{rule}_official"
    source = f"the letter that {rule} reads is that of the right choice"
    card = MetricCard(name, "", "", binary=True, needs_answer=True, source=source)
    read = RULES[rule]

    def judge(each: AnsweredCase) -> Verdict:
        labels = Choices.of(each.case).labels
        if any(len(label) != 1 for label in labels):
            raise InvalidInputError(
                f"case {each.case.case_id!r}: {rule} reads labels of one character, not {', '.join(labels)}"
            )
        (right,) = right_choices(each.case, len(labels))
        text = each.answer.text or ""
        letter = read(text, labels)
        if letter is None:
            return unread((card,), f"{rule} finds no letter in the answer {shown(text)}")
        return Verdict((scored(card, float(letter == labels[right])),), {name: {"extracted": letter}})

    return OneByOne((card,), no_right_choice, judge)
