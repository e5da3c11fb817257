"""Judging by a model: one answer on a declared scale, or one of two in both orders; votes, and failures kept apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Completion, Prompt, Usage
from bakeoff.scoring.judge_answers import UnreadableJudgementError, rating_of, verdict_of, winner_of
from bakeoff.scoring.judge_prompts import Material, Rubric, asked_again, pairwise_prompt, pointwise_prompt
from bakeoff.scoring.normalisation import squeezed

Ask = Callable[[Prompt], Completion]
"""Asks a judge model; a panel of several votes is several of them, each with its own model or sample number."""
Read = TypeVar("Read", int, bool, str)
SWAPPED = {"A": "B", "B": "A", "tie": "tie"}
WIN, TIE, LOSS = 1.0, 0.5, 0.0
POINTS = {"A": WIN, "B": LOSS, "tie": TIE}


@dataclass(frozen=True, slots=True)
class Vote:
    """What one judge said, once or in both orders."""

    rating: float | None
    """A number of the scale, 1 or 0 for yes or no, or 1, 0.5, 0 of a comparison; None when it could not be read."""
    problem: str = ""
    """Why it could not be read; empty when it could."""
    consistent: bool = True
    """Whether a comparison came out alike in both orders."""
    usage: tuple[Usage, ...] = ()
    """Of each call."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of a judgement: a value, or a failure; never one in the place of the other."""

    value: float | None
    """In [0, 1], higher is better; None when it failed."""
    rating: float | None = None
    """On the declared scale: the median of the votes, or their majority; None when it failed or nobody was asked."""
    votes: tuple[Vote, ...] = ()
    failure: Failure | None = None
    note: str = ""
    """Why nobody had to be asked; empty when somebody was."""


def not_judgeable(rubric: Rubric, material: Material) -> str:
    """Return why a rubric says nothing about a case: a part that it needs is missing; empty when it does."""
    if rubric.needs_reference and not material.references:
        return "the case has no gold answer"
    if rubric.needs_contexts and not material.contexts:
        return "there is no passage to judge by"
    return ""


def distinct(passages: Sequence[str]) -> tuple[str, ...]:
    """Return passages without those that say the same as an earlier one, whatever source they are labelled with."""
    first: dict[str, str] = {}
    for passage in passages:
        first.setdefault(squeezed(passage), passage)
    return tuple(first.values())


def judge_answer(
    judges: Sequence[Ask], rubric: Rubric, material: Material, answer: str, *, attempts: int = 2
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

    Returns:
        The median rating, or the majority of yes and no. Unreadable votes do not count; when they are half or more, or
        when yes and no are level, the judgement fails.

    Raises:
        InvalidInputError: there is no judge, or the rubric says nothing about the case.
    """
    _check(judges, rubric, material)
    if rubric.needs_reference and squeezed(answer) in {squeezed(text) for text in material.references} - {""}:
        return Judgement(1.0, note="the answer equals a reference answer")
    prompt = pointwise_prompt(rubric, material, answer)
    scale = rubric.scale
    if scale is None:
        votes = tuple(_vote(_asked(ask, prompt, verdict_of, attempts)) for ask in judges)
        return _by_majority(votes, names={1.0: "yes", 0.0: "no"})
    votes = tuple(_vote(_asked(ask, prompt, lambda said: rating_of(said, scale), attempts)) for ask in judges)
    if failed := _without_quorum(votes):
        return failed
    rating = float(median(_ratings(votes)))
    return Judgement(scale.share(rating), rating, votes)


def compare_answers(
    judges: Sequence[Ask], rubric: Rubric, material: Material, answer: str, other: str, *, attempts: int = 2
) -> Judgement:
    """Have two answers compared, by each judge in both orders.

    A judge that contradicts itself when the order changes has judged the order: that is a tie, and marked. A judge that
    cannot be read in either order has no vote: that is no tie.

    Args:
        judges: One for each vote.
        rubric: What is looked at.
        material: What the judges are shown.
        answer: The answer for which a win counts.
        other: The answer that it is compared with.
        attempts: How often each is asked before its answer counts as unreadable.

    Returns:
        1 for a win, 0 for a loss, 0.5 for a tie, by the majority of votes; a tie when none has the majority.

    Raises:
        InvalidInputError: there is no judge, or the rubric says nothing about the case.
    """
    _check(judges, rubric, material)
    if squeezed(answer) == squeezed(other):
        return Judgement(TIE, note="the two answers are the same")
    forth = pairwise_prompt(rubric, material, answer, other)
    back = pairwise_prompt(rubric, material, other, answer)
    votes = tuple(
        _compared(_asked(ask, forth, winner_of, attempts), _asked(ask, back, winner_of, attempts)) for ask in judges
    )
    if failed := _without_quorum(votes):
        return failed
    (top, count), *rest = Counter(_ratings(votes)).most_common()
    level = any(others == count for _, others in rest)
    value = TIE if level else top
    return Judgement(value, value, votes)


@dataclass(frozen=True, slots=True)
class _Said:
    """What came of asking one judge one thing."""

    value: int | bool | str | None
    problem: str
    usage: tuple[Usage, ...]


def _asked(ask: Ask, prompt: Prompt, read: Callable[[str], Read], attempts: int) -> _Said:
    usage: list[Usage] = []
    problem = ""
    for _ in range(attempts):
        completion = ask(prompt)
        usage.append(completion.usage)
        try:
            return _Said(read(completion.text), "", tuple(usage))
        except UnreadableJudgementError as error:
            problem = str(error)
            prompt = asked_again(prompt, completion.text, problem)
    return _Said(None, problem, tuple(usage))


def _vote(said: _Said) -> Vote:
    rating = None if said.value is None else float(said.value)
    return Vote(rating, said.problem, usage=said.usage)


def _compared(forth: _Said, back: _Said) -> Vote:
    usage = forth.usage + back.usage
    if forth.value is None or back.value is None:
        return Vote(None, forth.problem or back.problem, usage=usage)
    first, second = str(forth.value), SWAPPED[str(back.value)]
    if first == second:
        return Vote(POINTS[first], usage=usage)
    return Vote(TIE, consistent=False, usage=usage)


def _by_majority(votes: tuple[Vote, ...], names: dict[float, str]) -> Judgement:
    if failed := _without_quorum(votes):
        return failed
    counts = Counter(_ratings(votes))
    if len(set(counts.values())) == 1 < len(counts):
        told = ", ".join(f"{counts[value]} {name}" for value, name in names.items())
        return _failed(votes, f"the votes are level: {told}")
    value = counts.most_common(1)[0][0]
    return Judgement(value, value, votes)


def _without_quorum(votes: tuple[Vote, ...]) -> Judgement | None:
    unreadable = [vote for vote in votes if vote.rating is None]
    if 2 * len(unreadable) < len(votes):
        return None
    return _failed(votes, f"{len(unreadable)} of {len(votes)} judgements cannot be read: {unreadable[0].problem}")


def _failed(votes: tuple[Vote, ...], reason: str) -> Judgement:
    return Judgement(None, None, votes, Failure(FailureKind.JUDGE, reason))


def _ratings(votes: Sequence[Vote]) -> list[float]:
    return [vote.rating for vote in votes if vote.rating is not None]


def _check(judges: Sequence[Ask], rubric: Rubric, material: Material) -> None:
    if not judges:
        raise InvalidInputError("a judgement needs at least one judge")
    if reason := not_judgeable(rubric, material):
        raise InvalidInputError(f"the rubric {rubric.name!r} says nothing about the case: {reason}")
