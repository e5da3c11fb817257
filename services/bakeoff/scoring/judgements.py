"""Judgements: questions to a panel, and what their votes come to; failures kept apart from ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Usage
from bakeoff.scoring.judge_answers import rating_of, verdict_of, winner_of
from bakeoff.scoring.judge_prompts import Material, Rubric, pairwise_prompt, pointwise_prompt
from bakeoff.scoring.judge_questions import Question, Read
from bakeoff.scoring.normalisation import squeezed

SWAPPED = {"A": "B", "B": "A", "tie": "tie"}
WIN, TIE, LOSS = 1.0, 0.5, 0.0
POINTS = {"A": WIN, "B": LOSS, "tie": TIE}


class Aggregate(StrEnum):
    """What becomes of several ratings on a scale; yes and no go by majority, unless the mean is asked for."""

    MEDIAN = "median"
    MEAN = "mean"
    MAJORITY = "majority"


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
    said: str = ""
    """The judge's last words; of a comparison, those in both orders."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of a judgement: a value, or a failure; never one in the place of the other."""

    value: float | None
    """In [0, 1], higher is better; None when it failed."""
    rating: float | None = None
    """On the declared scale: the votes as they are aggregated; None when it failed."""
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


@dataclass(frozen=True, slots=True)
class Rated:
    """One answer that is being rated."""

    rubric: Rubric
    aggregate: Aggregate
    questions: tuple[Question, ...]
    """One for each vote; none when nobody has to be asked."""

    @classmethod
    def open(
        cls,
        case_id: str,
        judges: int,
        rubric: Rubric,
        material: Material,
        answer: str,
        *,
        attempts: int,
        aggregate: Aggregate = Aggregate.MEDIAN,
    ) -> Rated:
        """Return the questions about an answer; see `judge_answer`."""
        _check(judges, rubric, material)
        if rubric.needs_reference and squeezed(answer) in {squeezed(text) for text in material.references} - {""}:
            return cls(rubric, aggregate, ())
        prompt = pointwise_prompt(rubric, material, answer)
        scale = rubric.scale
        read: Read = verdict_of if scale is None else lambda said: rating_of(said, scale)
        return cls(
            rubric, aggregate, tuple(Question(case_id, number, prompt, read, attempts) for number in range(judges))
        )

    def judgement(self) -> Judgement:
        """Return what the votes come to.

        Unreadable votes do not count; when they are half or more, or when a majority is asked for and votes are level,
        the judgement fails.
        """
        if not self.questions:
            best = float(self.rubric.scale.maximum) if self.rubric.scale else 1.0
            return Judgement(1.0, best, note="the answer equals a reference answer")
        votes = tuple(_vote(each) for each in self.questions)
        if failed := _without_quorum(votes):
            return failed
        scale, ratings = self.rubric.scale, _ratings(votes)
        if self.aggregate is Aggregate.MEAN:
            rating = fmean(ratings)
        elif scale is None or self.aggregate is Aggregate.MAJORITY:
            (rating, count), *rest = Counter(ratings).most_common()
            if any(others == count for _, others in rest):
                return _failed(votes, f"the votes are level: {_told(ratings, yes_no=scale is None)}")
        else:
            rating = float(median(ratings))
        return Judgement(rating if scale is None else scale.share(rating), rating, votes)


@dataclass(frozen=True, slots=True)
class Compared:
    """Two answers that are being compared, in both orders."""

    questions: tuple[Question, ...]
    """Two for each vote, forth and back; none when nobody has to be asked."""

    @classmethod
    def open(
        cls, case_id: str, judges: int, rubric: Rubric, material: Material, answer: str, other: str, *, attempts: int
    ) -> Compared:
        """Return the questions about two answers; see `compare_answers`."""
        _check(judges, rubric, material)
        if squeezed(answer) == squeezed(other):
            return cls(())
        forth = pairwise_prompt(rubric, material, answer, other)
        back = pairwise_prompt(rubric, material, other, answer)
        return cls(
            tuple(
                Question(case_id, number, prompt, winner_of, attempts)
                for number in range(judges)
                for prompt in (forth, back)
            )
        )

    def judgement(self) -> Judgement:
        """Return 1 for a win, 0 for a loss, 0.5 for a tie, by the majority of votes; a tie when none has it.

        A judge that contradicts itself when the order changes has judged the order: that is a tie, and marked. A judge
        that cannot be read in either order has no vote: that is no tie, and a failure when half or more have none.
        """
        if not self.questions:
            return Judgement(TIE, TIE, note="the two answers are the same")
        pairs = zip(self.questions[::2], self.questions[1::2], strict=True)
        votes = tuple(_compared(forth, back) for forth, back in pairs)
        if failed := _without_quorum(votes):
            return failed
        (top, count), *rest = Counter(_ratings(votes)).most_common()
        value = TIE if any(others == count for _, others in rest) else top
        return Judgement(value, value, votes)


def _vote(asked: Question) -> Vote:
    rating = None if asked.value is None else float(asked.value)
    return Vote(rating, asked.problem, usage=tuple(asked.usage), said=asked.said)


def _compared(forth: Question, back: Question) -> Vote:
    usage = (*forth.usage, *back.usage)
    said = "\n".join((forth.said, back.said))
    if forth.value is None or back.value is None:
        return Vote(None, forth.problem or back.problem, usage=usage, said=said)
    first, second = str(forth.value), SWAPPED[str(back.value)]
    if first == second:
        return Vote(POINTS[first], usage=usage, said=said)
    return Vote(TIE, consistent=False, usage=usage, said=said)


def _told(ratings: Sequence[float], *, yes_no: bool) -> str:
    counts = sorted(Counter(ratings).items(), reverse=True)
    names = {1.0: "yes", 0.0: "no"} if yes_no else {}
    return ", ".join(f"{count} {names.get(rating, f'{rating:g}')}" for rating, count in counts)


def _without_quorum(votes: tuple[Vote, ...]) -> Judgement | None:
    unreadable = [vote for vote in votes if vote.rating is None]
    if 2 * len(unreadable) < len(votes):
        return None
    return _failed(votes, f"{len(unreadable)} of {len(votes)} judgements cannot be read: {unreadable[0].problem}")


def _failed(votes: tuple[Vote, ...], reason: str) -> Judgement:
    return Judgement(None, None, votes, Failure(FailureKind.JUDGE, reason))


def _ratings(votes: Sequence[Vote]) -> list[float]:
    return [vote.rating for vote in votes if vote.rating is not None]


def _check(judges: int, rubric: Rubric, material: Material) -> None:
    if not judges:
        raise InvalidInputError("a judgement needs at least one judge")
    if reason := not_judgeable(rubric, material):
        raise InvalidInputError(f"the rubric {rubric.name!r} says nothing about the case: {reason}")
