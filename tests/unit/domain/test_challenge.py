"""How challenges end, and what a case tells of its challenge."""

from __future__ import annotations

import pytest

from bakeoff.domain.benchmark import Case
from bakeoff.domain.challenge import ChallengeFacts, ChallengeState, facts_of, left_out, level_of, settle

PASSED, FAILED, SKIPPED, BLOCKED, MISSING = ChallengeState


def test_the_five_states_are_told_apart() -> None:
    needs = {
        "BlockedToo": ["Blocked"],  # in any order
        "Passed": [],
        "Failed": ["Passed"],
        "Blocked": ["Failed"],
        "Missing": [],
        "BlockedByMissing": ["Missing"],
        "Skipped": [],
        "AfterSkipped": ["Skipped"],
        "NoVerdict": [],
        "AfterOneThatIsNotHere": ["Elsewhere"],
    }
    verdicts = dict.fromkeys(["Passed", "Blocked", "Missing", "AfterSkipped", "AfterOneThatIsNotHere"], True)
    assert settle(needs, verdicts, missing={"Missing"}, skipped={"Skipped"}) == {
        "BlockedToo": BLOCKED,
        "Passed": PASSED,
        "Failed": FAILED,
        "Blocked": BLOCKED,
        "Missing": MISSING,
        "BlockedByMissing": BLOCKED,
        "Skipped": SKIPPED,
        "AfterSkipped": PASSED,
        "NoVerdict": FAILED,
        "AfterOneThatIsNotHere": PASSED,
    }


def test_a_circle_does_not_turn_for_ever() -> None:
    with pytest.raises(ValueError, match="wait for each other: A, B"):
        settle({"A": ["B"], "B": ["A"], "C": []}, {})


def test_what_a_case_tells_of_its_challenge_is_read_back() -> None:
    facts = ChallengeFacts("A", ("x", "y"), ("B",), difficulty="novice", cutoff_s=60, left_out="by choice")
    case = Case("a", "Do it.", metadata={"challenge": facts.as_metadata()})
    assert (facts_of(case), left_out(case), facts.level) == (facts, "by choice", 3)


def test_a_case_that_is_no_challenge_is_never_left_out() -> None:
    for metadata in ({}, {"challenge": "hard"}, {"challenge": {"name": "else"}}):
        case = Case("a", "Why?", metadata=dict(metadata))
        assert (facts_of(case), left_out(case)) == (None, "")


def test_a_difficulty_of_ones_own_has_no_level() -> None:
    assert [level_of(each) for each in ("interface", "human", "very hard")] == [1, 7, None]
