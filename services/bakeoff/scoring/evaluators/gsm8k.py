"""GSM8K's accuracy: the number behind `####`, or the last number, compared as written."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal

from bakeoff.domain.score import MetricCard
from bakeoff.runtime.registry import Is
from bakeoff.scoring.evaluator import AnsweredCase, Verdict, scored
from bakeoff.scoring.evaluators.numeric import gold_quantities, no_gold_number
from bakeoff.scoring.one_by_one import OneByOne, shown, unread
from bakeoff.scoring.registries import evaluators

STRICT = re.compile(r"####\s*\$?(-?\$?[0-9][0-9.,]*)")
NUMBER = re.compile(r"-?\$?\d[\d,]*(?:\.\d+)?|-?\$?\.\d+")


@evaluators.register("gsm8k")
def gsm8k(
    *,
    mode: Annotated[Literal["strict", "flexible"], Is("take the number behind ####, or the answer's last")] = "strict",
) -> OneByOne:
    """Measure whether a worked solution ends in the right number.

    An answer in which the mode finds no number failed to parse, and counts as wrong.

    Scale: {0, 1}, higher is better; a mean is the share of right answers.
    Not applicable: the recipe makes no answers, or the case has no gold number.
    Source: Cobbe et al. 2021, arXiv:2110.14168, for `strict`; lm-evaluation-harness's `flexible-extract` for the other.
    """
    name = f"gsm8k_{mode}"
    card = MetricCard(name, "", "", binary=True, needs_answer=True, source=f"{mode} extraction; equality of numbers")
    extract = strict_number if mode == "strict" else last_number

    def judge(each: AnsweredCase) -> Verdict:
        text = each.answer.text or ""
        number = extract(text)
        found = value_of(number) if number else None
        if found is None:
            missing = "no number behind ####" if mode == "strict" else "no number"
            return unread((card,), f"{missing} in the answer {shown(text)}")
        right = any(found == gold.value for gold in gold_quantities(each.case))
        return Verdict((scored(card, float(right)),), {name: {"extracted": number}})

    return OneByOne((card,), no_gold_number, judge)


def strict_number(text: str) -> str | None:
    """Return the first number behind `####`; None when there is none."""
    match = STRICT.search(text)
    return match[1].rstrip(".,") if match else None


def last_number(text: str) -> str | None:
    """Return the last number of a text, with its sign and separators; None when it has none."""
    found = NUMBER.findall(text)
    return found[-1].rstrip(",") if found else None


def value_of(number: str) -> Decimal | None:
    """Return an extracted number without its commas and dollar sign; None when it has two decimal points."""
    try:
        return Decimal(number.replace(",", "").replace("$", ""))
    except InvalidOperation:
        return None
