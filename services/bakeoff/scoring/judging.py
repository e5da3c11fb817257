"""Judging by functions, as in a notebook: one answer on a declared scale, or one of two in both orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bakeoff.domain.answer import Failure
from bakeoff.domain.prompt import Completion, Prompt
from bakeoff.scoring.judge_prompts import Material, Rubric
from bakeoff.scoring.judge_questions import AskPanel, JudgeRequest, settle
from bakeoff.scoring.judgements import Aggregate, Compared, Judgement, Rated
from bakeoff.scoring.normalisation import squeezed

Ask = Callable[[Prompt], Completion]
"""Asks a judge model; a panel of several votes is several of them, each with its own model or sample number."""


def judge_answer(
    judges: Sequence[Ask],
    rubric: Rubric,
    material: Material,
    answer: str,
    *,
    attempts: int = 2,
    aggregate: Aggregate = Aggregate.MEDIAN,
) -> Judgement:
    """Have one answer rated.

    With a rubric that compares with a reference, an answer that equals one is right without a call: so is an abstention
    that the reference is, too.

    Args:
        judges: One for each vote.
        rubric: What is looked at.
        material: What the judges are shown.
        answer: What is judged.
        attempts: How often each is asked before its answer counts as unreadable.
        aggregate: What becomes of several votes.

    Returns:
        As `Rated.judgement`.

    Raises:
        InvalidInputError: there is no judge, or the rubric says nothing about the case.
    """
    rated = Rated.open("", len(judges), rubric, material, answer, attempts=attempts, aggregate=aggregate)
    settle(rated.questions, by_callables(judges))
    return rated.judgement()


def compare_answers(
    judges: Sequence[Ask], rubric: Rubric, material: Material, answer: str, other: str, *, attempts: int = 2
) -> Judgement:
    """Have two answers compared, by each judge in both orders.

    Args:
        judges: One for each vote.
        rubric: What is looked at.
        material: What the judges are shown.
        answer: The answer for which a win counts.
        other: The answer that it is compared with.
        attempts: How often each is asked before its answer counts as unreadable.

    Returns:
        As `Compared.judgement`.

    Raises:
        InvalidInputError: there is no judge, or the rubric says nothing about the case.
    """
    compared = Compared.open("", len(judges), rubric, material, answer, other, attempts=attempts)
    settle(compared.questions, by_callables(judges))
    return compared.judgement()


def by_callables(judges: Sequence[Ask]) -> AskPanel:
    """Return what asks judges that are functions, one after the other; what one raises is raised."""

    def ask(requests: Sequence[JudgeRequest]) -> list[Completion | Failure]:
        return [judges[each.judge](each.prompt) for each in requests]

    return ask


def distinct(passages: Sequence[str]) -> tuple[str, ...]:
    """Return passages without those that say the same as an earlier one, whatever source they are labelled with."""
    first: dict[str, str] = {}
    for passage in passages:
        first.setdefault(squeezed(passage), passage)
    return tuple(first.values())
