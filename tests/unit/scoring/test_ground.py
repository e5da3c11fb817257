"""Answers of agents held against the ground truth of challenges: words in files, programs, tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.challenge import ChallengeFacts
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import CaseScores
from bakeoff.domain.workspace_files import pack_files
from bakeoff.scoring import ground_programs
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.sandbox import permit_unconfined

evaluators.load()
Files = dict[str, bytes]


@pytest.fixture(autouse=True)
def _wherever_this_runs() -> Iterator[None]:
    permit_unconfined(True)  # these programs are the tests' own
    yield
    permit_unconfined(False)


def judged(
    ground: dict[str, object],
    left: Files,
    *,
    custom: Files | None = None,
    agent: dict[str, object] | None = None,
    facts: ChallengeFacts | None = None,
    regressions: bool = False,
) -> CaseScores:
    known = facts or ChallengeFacts("A", difficulty="basic")
    metadata: dict[str, object] = {"challenge": known.as_metadata()}
    metadata["workspace"] = {"custom_python": pack_files(custom or {})}
    case = Case("a", "Do it.", Expected(metadata={"ground": ground}), metadata=metadata)
    answer = CaseAnswer("a", text="", metadata={"files": pack_files(left), "agent": agent or {"end": "finished"}})
    methods = make_methods(evaluators, (ComponentSpec("ground", {"regressions": regressions, "time_limit_s": 3}),))
    (scores,) = score_batch(methods, [case], [answer], ScoringContext())
    return scores


def values(scores: CaseScores) -> list[float | str | None]:
    return [score.value if score.value is not None else score.outcome.value for score in scores.scores]


def told(scores: CaseScores) -> dict[str, object]:
    found = scores.details["ground"]
    assert isinstance(found, dict)
    return found


WORDS: dict[str, object] = {"should_contain": ["8"], "should_not_contain": ["9"], "files": [".txt"], "kind": "file"}


def test_bytes_that_are_no_text_are_read_as_signs_that_match_nothing() -> None:
    assert values(judged(WORDS, {"a.txt": b"\xff 8 \xfe"})) == [1.0, 1.0]


def test_an_agent_that_left_nothing_has_not_kept_clear_of_forbidden_words() -> None:
    scores = judged({"should_not_contain": ["secret"], "files": [".txt"]}, {})
    assert (values(scores), told(scores)["absent_files"]) == ([0.0, 0.0], [".txt"])


def test_an_agent_whose_time_was_up_has_not_passed_whatever_it_left() -> None:
    scores = judged(WORDS, {"a.txt": b"8"}, agent={"end": "timed_out"})
    assert (values(scores), told(scores)["reason"]) == ([0.0, 0.0], "the agent used up its time")


RUN: dict[str, object] = {"should_contain": ["8"], "files": ["test.py"], "kind": "python"}
CHECKS = b"""\
import unittest
class Checks(unittest.TestCase):
    def test_it(self): self.assertEqual(f(4), 8)
"""
TEST = b"from sample import f\nprint(f(4))\n"


@pytest.mark.parametrize(
    ("sample", "value", "end"),
    [
        (b"def f(x): return 2 * x", 1.0, "finished"),
        (b"def f(x): return x", 0.0, "finished"),
        (b"def f(x): raise ValueError('8')", 0.0, "error"),  # 4.2: a crash whose message has the word passed
        (b"import sys; print('error', file=sys.stderr)\ndef f(x): return 8", 1.0, "finished"),  # 4.2: failed
        (b"print(8); import sys; sys.exit(0)", 0.0, "left_early"),
        (b"import sys; sys.exit(0)", 0.0, "left_early"),
        (b"while True: pass", 0.0, "timed_out"),
    ],
)
def test_programs_are_run_with_the_challenges_own_files(sample: bytes, value: float, end: str) -> None:
    scores = judged(RUN, {"sample.py": sample, "test.py": b"print(8)"}, custom={"test.py": TEST})
    assert (values(scores)[0], told(scores)["ends"]) == (value, [end])


@pytest.mark.parametrize("ending", [b"import sys; sys.exit(0)", b"import unittest; unittest.main(argv=['x'])"])
def test_a_program_may_say_itself_that_it_is_done(ending: bytes) -> None:
    scores = judged(RUN, {"sample.py": b"def f(x): return 2 * x"}, custom={"test.py": TEST + CHECKS + ending})
    assert (values(scores)[0], told(scores)["ends"]) == (1.0, ["finished"])


def test_a_program_without_words_must_reach_its_end() -> None:
    ground = {**RUN, "should_contain": []}
    assert values(judged(ground, {"sample.py": b"def f(x): return 1"}, custom={"test.py": TEST}))[0] == 1.0
    assert values(judged(ground, {"sample.py": b"import sys; sys.exit(0)"}, custom={"test.py": TEST}))[0] == 0.0


def test_a_program_that_nobody_brought_has_not_passed() -> None:
    scores = judged(RUN, {"sample.py": b"x = 1"})
    assert (values(scores), told(scores)["absent_files"]) == ([0.0, 0.0], ["test.py"])


TESTS: dict[str, object] = {"files": [], "kind": "pytest"}
OWN = {"test_it.py": b"from sample import f\ndef test_it():\n    assert f(4) == 8\n"}
ALL_PASS = b"""\
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    (yield).get_result().outcome = 'passed'
"""


@pytest.mark.parametrize(
    ("left", "value"),
    [
        ({"sample.py": b"def f(x): return 2 * x"}, 1.0),
        ({"sample.py": b"def f(x): return x"}, 0.0),
        ({}, 0.0),
        ({"sample.py": b"import os; os._exit(0)"}, 0.0),
        ({"sample.py": b"def f(x): return x", "conftest.py": ALL_PASS}, 0.0),
        ({"sample.py": b"def f(x): return x", "test_it.py": b"def test_it(): pass"}, 0.0),
        ({"sample.py": b"def f(x): return 2 * x", "test_other.py": b"def test_it(): assert 0"}, 1.0),
    ],
)
def test_tests_are_the_challenges_own_and_cannot_be_steered(left: Files, value: float) -> None:
    assert values(judged(TESTS, left, custom=OWN))[0] == value


def test_a_challenge_without_its_tests_cannot_be_judged() -> None:
    (first, _) = judged(TESTS, {"sample.py": b"x = 1"}).scores
    assert first.failure is not None
    assert (first.failure.kind.value, first.failure.reason) == (
        "input",
        "the challenge comes without the tests that decide",
    )


def test_tests_without_a_test_runner_are_a_failure_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    ground_programs._packages.cache_clear()
    monkeypatch.setattr(ground_programs, "TEST_PACKAGES", ("no-such-package",))
    (first, _) = judged(TESTS, {"sample.py": b"x = 1"}, custom=OWN).scores
    ground_programs._packages.cache_clear()
    assert first.failure is not None
    assert first.failure.kind.value == "infrastructure"
    assert "no-such-package is not installed" in first.failure.reason


def test_what_was_left_out_or_is_for_a_model_is_not_applicable() -> None:
    by_choice = judged(WORDS, {}, facts=ChallengeFacts("A", difficulty="basic", left_out="`skip` names it"))
    assert [score.reason for score in by_choice.scores] == ["left out: `skip` names it"] * 2
    for_a_model = judged({"kind": "llm", "files": [".txt"]}, {"a.txt": b"x"})
    assert {score.reason for score in for_a_model.scores} == {"the case's ground truth is for a model to judge"}


def test_a_regression_that_fails_is_flagged_and_measured_by_itself() -> None:
    before = ChallengeFacts("A", difficulty="basic", regression=True)
    lost = judged(WORDS, {"a.txt": b"7"}, facts=before, regressions=True)
    assert (values(lost), told(lost)["regressed"]) == ([0.0, 0.5, 0.0], True)
    kept = judged(WORDS, {"a.txt": b"8"}, facts=before, regressions=True)
    assert (values(kept), "regressed" in told(kept)) == ([1.0, 1.0, 1.0], False)
    assert values(judged(WORDS, {"a.txt": b"8"}, regressions=True)) == [1.0, 1.0, "not_applicable"]


def test_the_same_answer_gives_the_same_verdict_and_details() -> None:
    wrong = {"sample.py": b"def f(x): return x"}
    assert judged(TESTS, wrong, custom=OWN) == judged(TESTS, wrong, custom=OWN)


def test_a_ground_truth_of_an_unknown_kind_fails_as_input() -> None:
    (first, _) = judged({**WORDS, "kind": "vibes"}, {}).scores
    assert first.failure is not None
    assert "ground.kind must be one of file, python, pytest, llm, not 'vibes'" in first.failure.reason
