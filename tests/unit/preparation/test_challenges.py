"""Agent challenges without an agent: read, ordered, settled, and judged by files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.challenges.challenge import Challenge, Ground, GroundKind, Suite
from bakeoff.preparation.challenges.dependencies import resolve_dependencies, short_name
from bakeoff.preparation.challenges.files import matching_files
from bakeoff.preparation.challenges.ground import score_texts, score_workspace
from bakeoff.preparation.challenges.reading import read_challenge
from bakeoff.preparation.challenges.states import ChallengeState, settle
from tests.unit.preparation.conftest import Outcome
from tests.unit.preparation.question_samples import CHALLENGE, OLD_CHALLENGE, write_samples

PASSED, FAILED, SKIPPED, BLOCKED, MISSING = ChallengeState


def a_challenge(name: str, *dependencies: str, folder: str = "") -> Challenge:
    ground = Ground("", should_contain=("x",), files=("a.txt",))
    return Challenge(folder or name, name, "Do it.", ("basic",), dependencies, ground, "basic", "")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Challenge]:
    """Read a challenge that is written first."""

    def run(given: dict[str, Any], folder: str = "write_file") -> Challenge:
        path = tmp_path / folder / "data.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(given))
        return read_challenge(path, folder)

    return run


def test_the_later_generations_are_read(read: Callable[..., Challenge], tmp_path: Path) -> None:
    (tmp_path / "write_file" / "artifacts_in").mkdir(parents=True)
    (tmp_path / "write_file" / "artifacts_in" / "a.txt").write_text("x")
    challenge = read(CHALLENGE)
    assert (challenge.name, challenge.cutoff_s, challenge.level) == ("TestWriteFile", 60, 1)
    assert challenge.ground == Ground("", ("Washington",), files=(".txt",))
    assert challenge.artifacts == {"artifacts_in": ("a.txt",)}


def test_the_first_generation_is_read_and_named_after_its_folder(read: Callable[..., Challenge]) -> None:
    challenge = read(OLD_CHALLENGE, "read_file")
    assert (challenge.name, challenge.mock, challenge.cutoff_s) == ("ReadFile", "basic_read_file_mock", None)
    assert challenge.ground.kind is GroundKind.FILE
    assert resolve_dependencies([challenge, read(CHALLENGE)]).needs["read_file"] == ("write_file",)


def test_a_suite_of_one_task_shares_it(read: Callable[..., Challenge], tmp_path: Path) -> None:
    shared = {"same_task": True, "prefix": "TestRevenue", "task": "Find it.", "cutoff": 90, "dependencies": ["TestA"]}
    (tmp_path / "suite.json").write_text(json.dumps(shared))
    challenge = read({**CHALLENGE, "dependencies": ["TestB"]})
    assert (challenge.task, challenge.cutoff_s, challenge.dependencies) == ("Find it.", 90, ("TestB", "TestA"))
    assert challenge.suite == Suite("TestRevenue", same_task=True, reverse_order=False)


def test_a_suite_of_several_tasks_leaves_them_alone(read: Callable[..., Challenge], tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text(json.dumps({"same_task": False, "reverse_order": True, "prefix": "TestR"}))
    challenge = read(CHALLENGE)
    assert challenge.task == CHALLENGE["task"]
    assert challenge.suite == Suite("TestR", same_task=False, reverse_order=True)


GROUND: dict[str, Any] = {"should_contain": ["x"], "files": ["a.txt"], "eval": {"type": "file"}}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"ground": {**GROUND, "should_contain": []}}, "ground: has neither should_contain nor should_not_contain"),
        ({"ground": {**GROUND, "files": []}}, r"ground\.files: must name the files that count"),
        ({"ground": {**GROUND, "should_contain": [""]}}, r"ground\.should_contain: must not have an empty text"),
        ({"ground": {**GROUND, "eval": {"type": "vibes"}}}, "vibes"),
        ({"ground": {**GROUND, "should_contian": ["x"]}}, "should_contian"),
        ({"task": " "}, "task: must not be empty"),
        ({"cutoff": 0}, "cutoff: must be more than 0 seconds, not 0"),
        ({"info": {}}, "difficulty"),
    ],
)
def test_a_challenge_that_cannot_be_decided_is_refused_with_file_and_field(
    read: Callable[..., Challenge], change: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidInputError, match=rf"data\.json.*{problem}"):
        read({**CHALLENGE, **change})


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("TestWriteFile", "WriteFile"),
        ("WriteFile", "WriteFile"),
        ("agbenchmark/tests/write_file_test.py::TestWriteFile::test_write_file[challenge_data0]", "WriteFile"),
    ],
)
def test_names_and_node_ids_mean_the_same_challenge(written: str, name: str) -> None:
    assert short_name(written) == name


def test_each_challenge_comes_after_those_that_it_waits_for_and_else_as_it_came() -> None:
    found = resolve_dependencies(
        [a_challenge("C", "TestA", "B"), a_challenge("B", "A"), a_challenge("A"), a_challenge("D")]
    )
    assert found.order == ("A", "B", "C", "D")
    assert found.needs["C"] == ("A", "B")


def test_a_circle_is_refused_and_printed() -> None:
    with pytest.raises(InvalidInputError, match=r"challenges wait for each other: A → B → C → A$"):
        resolve_dependencies(
            [a_challenge("X", "A"), a_challenge("A", "B"), a_challenge("B", "C"), a_challenge("C", "A")]
        )


def test_what_waits_for_itself_under_another_folder_is_no_circle() -> None:
    challenges = [a_challenge("A", "TestA", folder="new/a"), a_challenge("A", folder="old/a")]
    assert resolve_dependencies(challenges).needs["new/a"] == ("old/a",)


def test_dependencies_that_are_not_there_are_listed() -> None:
    assert resolve_dependencies([a_challenge("A", "TestNope", "TestNever")]).missing == {"A": ("TestNope", "TestNever")}


def test_of_challenges_of_one_name_the_nearest_is_meant() -> None:
    challenges = [
        a_challenge("Read", "TestWrite", folder="new/read"),
        a_challenge("Write", folder="old/write"),
        a_challenge("Write", folder="new/write"),
    ]
    found = resolve_dependencies(challenges)
    assert (found.needs["new/read"], found.ambiguous) == (("new/write",), {})


def test_two_that_are_equally_near_are_told() -> None:
    challenges = [
        a_challenge("Read", "TestWrite", folder="read"),
        a_challenge("Write", folder="one/write"),
        a_challenge("Write", folder="two/write"),
    ]
    assert resolve_dependencies(challenges).ambiguous == {"read": ("TestWrite",)}


def test_the_five_states_are_told_apart() -> None:
    challenges = [
        a_challenge("Passed"),
        a_challenge("Failed", "Passed"),
        a_challenge("Blocked", "Failed"),
        a_challenge("BlockedToo", "Blocked"),
        a_challenge("Missing", "Nope"),
        a_challenge("BlockedByMissing", "Missing"),
        a_challenge("Skipped"),
        a_challenge("AfterSkipped", "Skipped"),
        a_challenge("NoVerdict"),
    ]
    verdicts = {"Passed": True, "Failed": False, "Blocked": True, "Missing": True, "AfterSkipped": True}
    assert settle(resolve_dependencies(challenges), verdicts, skipped={"Skipped"}) == {
        "Passed": PASSED,
        "Failed": FAILED,
        "Blocked": BLOCKED,
        "BlockedToo": BLOCKED,
        "Missing": MISSING,
        "BlockedByMissing": BLOCKED,
        "Skipped": SKIPPED,
        "AfterSkipped": PASSED,
        "NoVerdict": FAILED,
    }


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["output.txt"], ["output.txt"]),
        (["deep.txt"], ["sub/deep.txt"]),
        (["sub/deep.txt"], ["sub/deep.txt"]),
        ([".txt"], ["output.txt", "sub/deep.txt"]),
        (["*.csv"], ["sub/table.csv"]),
        (["sub/*"], ["sub/deep.txt", "sub/table.csv"]),
        (["output.txt", ".txt"], ["output.txt", "sub/deep.txt"]),
        (["nope.txt"], []),
    ],
    ids=str,
)
def test_files_are_found_by_name_glob_and_extension(tmp_path: Path, wanted: list[str], found: list[str]) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("output.txt", "sub/deep.txt", "sub/table.csv"):
        (tmp_path / name).write_text("x")
    assert [path.relative_to(tmp_path).as_posix() for path in matching_files(tmp_path, wanted)] == found


def test_nothing_outside_of_the_workspace_is_judged(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "answer.txt").write_text("x")
    (workspace / "answer.txt").symlink_to(tmp_path / "answer.txt")
    assert matching_files(workspace, ["answer.txt"]) == []
    for name in ("../answer.txt", str(tmp_path / "answer.txt")):
        with pytest.raises(InvalidInputError, match="leads out of the workspace"):
            matching_files(workspace, [name])


def ground(contain: tuple[str, ...] = (), forbid: tuple[str, ...] = (), *, case_sensitive: bool = True) -> Ground:
    return Ground("", contain, forbid, case_sensitive, (".txt",))


@pytest.mark.parametrize(
    ("truth", "texts", "score"),
    [
        (ground(("a", "b")), ["a b"], 1.0),
        (ground(("a", "b")), ["a"], 1 / 2),  # passed once: it stopped after the first word
        (ground(("a",), ("b",)), ["a b"], 1 / 2),  # passed once: what is forbidden was not looked at
        (ground((), ("x", "b")), ["a b"], 1 / 2),  # passed once: the first that was absent sufficed
        (ground(("a", "b")), ["a", "b"], 1.0),  # the files are one whole
        (ground(("Paris",)), ["paris"], 0.0),
        (ground(("Paris",), case_sensitive=False), ["PARIS"], 1.0),
        (ground(("a", "b", "c"), ("d",)), ["a d"], 1 / 4),
    ],
)
def test_all_words_must_be_there_and_no_forbidden_one(truth: Ground, texts: list[str], score: float) -> None:
    found = score_texts(truth, texts)
    assert found.score == score
    assert found.passed == (score == 1.0)


def test_a_ground_truth_without_a_word_decides_nothing() -> None:
    with pytest.raises(InvalidInputError, match="decides nothing"):
        score_texts(ground(), ["a"])


def test_a_workspace_is_scored_by_the_files_that_count(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff Washington")
    (tmp_path / "b.md").write_text("secret")
    found = score_workspace(ground(("Washington",), ("secret",)), tmp_path)
    assert (found.score, found.files) == (1.0, ("a.txt",))


def test_an_agent_that_left_nothing_has_not_passed(tmp_path: Path) -> None:
    found = score_workspace(ground((), ("secret",)), tmp_path)
    assert (found.score, found.passed, found.absent_files) == (0.0, False, (".txt",))


def test_what_must_be_run_is_not_scored_by_words(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="of the kind 'python' is not scored by words"):
        score_workspace(replace(ground(("x",)), kind=GroundKind.PYTHON), tmp_path)


def test_cases_come_in_an_order_that_can_be_run(prepare_as: Callable[..., Outcome], tmp_path: Path) -> None:
    cases = prepare_as("agent_challenges", **write_samples(tmp_path)["agent_challenges"]).cases
    assert [case.case_id for case in cases] == ["write_file", "read_file"]
    assert cases[1].metadata["challenge"]["needs"] == ["write_file"]  # type: ignore[index]


def test_all_faults_of_all_challenges_are_told_at_once(prepare_as: Callable[..., Outcome], tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.json").write_text(json.dumps({**CHALLENGE, "task": ""}))
    with pytest.raises(InvalidInputError) as caught:
        prepare_as("agent_challenges", path=str(tmp_path))
    assert len(caught.value.violations) == 2
