"""How each challenge ended, with those that never began kept apart from those that failed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

from bakeoff.preparation.challenges.dependencies import Dependencies


class ChallengeState(StrEnum):
    """How a challenge ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    """Left out by choice; what waits for it is not held up, since nothing is known against it."""
    BLOCKED = "blocked"
    """Something that it waits for did not pass, so it was not begun."""
    MISSING = "missing"
    """It waits for a challenge that is not there, so it was not begun."""


UNFULFILLED = (ChallengeState.FAILED, ChallengeState.BLOCKED, ChallengeState.MISSING)


def state_before(
    challenge_id: str, dependencies: Dependencies, ended: Mapping[str, ChallengeState], skipped: Collection[str] = ()
) -> ChallengeState | None:
    """Return the state of a challenge that is not to be begun; None when it may.

    Args:
        challenge_id: The challenge, after all that it waits for.
        dependencies: Of all challenges.
        ended: How those before it ended.
        skipped: Challenges that are left out by choice.
    """
    if challenge_id in skipped:
        return ChallengeState.SKIPPED
    if challenge_id in dependencies.missing:
        return ChallengeState.MISSING
    if any(ended.get(each) in UNFULFILLED for each in dependencies.needs[challenge_id]):
        return ChallengeState.BLOCKED
    return None


def settle(
    dependencies: Dependencies, passed: Mapping[str, bool], skipped: Collection[str] = ()
) -> dict[str, ChallengeState]:
    """Return how all challenges ended, in their order.

    Args:
        dependencies: Of all challenges.
        passed: Verdicts by id; of challenges that were not to be begun they do not count, and one that could have been
            begun and has none has failed: it does not leave the denominator.
        skipped: Challenges that were left out by choice.
    """
    ended: dict[str, ChallengeState] = {}
    for challenge_id in dependencies.order:
        before = state_before(challenge_id, dependencies, ended, skipped)
        verdict = ChallengeState.PASSED if passed.get(challenge_id, False) else ChallengeState.FAILED
        ended[challenge_id] = before or verdict
    return ended
