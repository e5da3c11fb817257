"""A challenge for an agent, as everyone knows it: what it is called, how hard it is, what it waits for, how it ends."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from bakeoff.domain.benchmark import Case, Json

DIFFICULTIES = ("interface", "basic", "novice", "intermediate", "advanced", "expert", "human")
"""From the easiest; the first is level 1."""
KEY = "challenge"
"""Where a case's metadata has its ChallengeFacts."""


class GroundKind(StrEnum):
    """How the files that an agent leaves are judged."""

    FILE = "file"
    """By the words in them."""
    PYTHON = "python"
    """By running them: the exit status, and the words that they print."""
    PYTEST = "pytest"
    """By running the tests that come with the challenge."""
    LLM = "llm"
    """By a model."""


class ChallengeState(StrEnum):
    """How a challenge ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """Left out by choice, or judged by nobody; what waits for it is not held up, since nothing is known against it."""
    BLOCKED = "blocked"
    """Something that it waits for did not pass, so it does not count what its agent did."""
    MISSING = "missing"
    """It waits for a challenge that is not there, so it does not count what its agent did."""


UNFULFILLED = (ChallengeState.FAILED, ChallengeState.BLOCKED, ChallengeState.MISSING)


def level_of(difficulty: str) -> int | None:
    """Return a difficulty as a number from 1 to 7; None when it is none of DIFFICULTIES."""
    return DIFFICULTIES.index(difficulty) + 1 if difficulty in DIFFICULTIES else None


@dataclass(frozen=True, slots=True)
class ChallengeFacts:
    """What a case tells of its challenge, besides the task and the ground truth."""

    name: str
    categories: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """Case ids that it waits for."""
    missing: tuple[str, ...] = ()
    """What it waits for and is not there, as its file spells it."""
    difficulty: str = ""
    """One of DIFFICULTIES, or any text in the oldest generation."""
    description: str = ""
    cutoff_s: int | None = None
    """Seconds that the agent has; None when the challenge does not say."""
    mock: str = ""
    """Registered name of what stands in for the agent in a trial run; empty when nothing does. Never imported."""
    eval_id: str = ""
    suite: str = ""
    """Prefix of the suite that it belongs to; empty when to none."""
    regression: bool = False
    """Whether it passed before: it is on the list of regressions."""
    left_out: str = ""
    """Why it is not asked; empty when it is."""

    @property
    def level(self) -> int | None:
        """The difficulty from 1 to 7; None when it is none of DIFFICULTIES."""
        return level_of(self.difficulty)

    def as_metadata(self) -> Json:
        """Return it as a case's metadata keeps it."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def facts_of(case: Case) -> ChallengeFacts | None:
    """Return what a case tells of its challenge; None when it is none, whatever else it calls by that name."""
    given = case.metadata.get(KEY)
    if not isinstance(given, Mapping) or not {"name", "needs", "difficulty"} <= given.keys():
        return None
    known = {each.name for each in fields(ChallengeFacts)}
    values: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each for name, each in given.items() if name in known
    }
    return ChallengeFacts(**values)


def left_out(case: Case) -> str:
    """Return why a case is not asked; empty when it is, as every case is that is no challenge."""
    facts = facts_of(case)
    return facts.left_out if facts else ""


def settle(
    needs: Mapping[str, Sequence[str]],
    passed: Mapping[str, bool],
    *,
    missing: Collection[str] = (),
    skipped: Collection[str] = (),
) -> dict[str, ChallengeState]:
    """Return how challenges ended, by id in the order of `needs`, with those that do not count kept apart.

    Args:
        needs: Ids that each waits for; those that are no challenges here hold nothing up. Without a circle.
        passed: Verdicts by id. One that is to be judged and has none has failed: it does not leave the denominator.
        missing: Challenges that wait for one that is not there.
        skipped: Challenges that were left out by choice.
    """
    ended: dict[str, ChallengeState] = {}
    waiting = list(needs)
    while waiting:
        ready = [each for each in waiting if all(other in ended or other not in needs for other in needs[each])]
        if not ready:
            raise ValueError(f"challenges wait for each other: {', '.join(waiting)}")
        for each in ready:
            before = _before(each, needs[each], ended, missing, skipped)
            verdict = ChallengeState.PASSED if passed.get(each, False) else ChallengeState.FAILED
            ended[each] = before or verdict
        waiting = [each for each in waiting if each not in ended]
    return {each: ended[each] for each in needs}


def _before(
    challenge_id: str,
    needs: Sequence[str],
    ended: Mapping[str, ChallengeState],
    missing: Collection[str],
    skipped: Collection[str],
) -> ChallengeState | None:
    if challenge_id in skipped:
        return ChallengeState.SKIPPED
    if challenge_id in missing:
        return ChallengeState.MISSING
    if any(ended.get(each) in UNFULFILLED for each in needs):
        return ChallengeState.BLOCKED
    return None
