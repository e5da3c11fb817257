"""Agent challenges without an agent: read, chosen, and put in order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.domain.challenge import GroundKind, facts_of
from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.challenges.challenge import Challenge, Ground, Suite
from bakeoff.preparation.challenges.choosing import Choosing
from bakeoff.preparation.challenges.dependencies import resolve_dependencies, short_name
from bakeoff.preparation.challenges.reading import read_challenge
from bakeoff.preparation.challenges.regressions import read_regressions
from tests.unit.preparation.conftest import Outcome
from tests.unit.preparation.question_samples import CHALLENGE, OLD_CHALLENGE, write_samples


def a_challenge(
    name: str, *dependencies: str, folder: str = "", difficulty: str = "basic", suite: Suite | None = None
) -> Challenge:
    ground = Ground("", should_contain=("x",), files=("a.txt",))
    return Challenge(
        folder or name, name, "Do it.", (f"of {name}", "all"), dependencies, ground, difficulty, "", suite=suite
    )


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
    assert challenge.artifacts == {"artifacts_in": {"a.txt": b"x"}}


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


def test_a_suite_of_one_task_shares_its_files(read: Callable[..., Challenge], tmp_path: Path) -> None:
    (tmp_path / "suite.json").write_text(json.dumps({"same_task": True, "prefix": "TestR", "task": "Find it."}))
    for folder, text in ((tmp_path, "shared"), (tmp_path / "write_file", "own")):
        (folder / "artifacts_in").mkdir(parents=True)
        (folder / "artifacts_in" / f"{text}.txt").write_text(text)
        (folder / "artifacts_in" / "both.txt").write_text(text)
    assert read(CHALLENGE).artifacts["artifacts_in"] == {
        "shared.txt": b"shared",
        "own.txt": b"own",
        "both.txt": b"own",
    }


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


def test_the_hardest_come_first_when_asked_as_far_as_dependencies_allow() -> None:
    challenges = [
        a_challenge("Easy"),
        a_challenge("Hard", "Middle", difficulty="expert"),
        a_challenge("Middle", difficulty="novice"),
        a_challenge("Odd", difficulty="who knows"),
    ]
    assert resolve_dependencies(challenges, reverse_order=True).order == ("Middle", "Hard", "Easy", "Odd")
    assert resolve_dependencies(challenges).order == ("Easy", "Middle", "Hard", "Odd")


def test_a_suite_that_says_so_begins_with_its_hardest_and_keeps_its_places() -> None:
    suite = Suite("TestS", same_task=True, reverse_order=True)
    challenges = [
        a_challenge("One", suite=suite),
        a_challenge("Other", difficulty="human"),
        a_challenge("Two", suite=suite, difficulty="advanced"),
    ]
    assert resolve_dependencies(challenges).order == ("Two", "Other", "One")


@pytest.mark.parametrize(
    ("choosing", "asked"),
    [
        (Choosing(), ["A", "B", "C"]),
        (Choosing(categories=("of A", "of B")), ["A", "B"]),
        (Choosing(skip_categories=("of A",)), ["B", "C"]),
        (Choosing(difficulties=("expert",)), ["C"]),
        (Choosing(only=("TestA", "C")), ["A", "C"]),
        (Choosing(only=("A", "B"), skip=("TestB",)), ["A"]),
        (Choosing(which="regressions", regressions=("B",)), ["B"]),
        (Choosing(which="others", regressions=("B",)), ["A", "C"]),
        (Choosing(which="regressions"), []),
    ],
)
def test_choices_say_who_is_asked_and_why_the_others_are_not(choosing: Choosing, asked: list[str]) -> None:
    challenges = [a_challenge("A"), a_challenge("B"), a_challenge("C", difficulty="expert")]
    choosing.check(challenges)
    reasons = {short_name(each.name): choosing.left_out(each) for each in challenges}
    assert [name for name, reason in reasons.items() if not reason] == asked


def test_a_choice_that_names_nothing_is_refused_with_what_there_is() -> None:
    with pytest.raises(InvalidInputError, match=r"category: no challenge has 'of a'; did you mean 'of A'\?") as caught:
        Choosing(categories=("of a",), only=("Nope",)).check([a_challenge("A")])
    assert [each.field for each in caught.value.violations] == ["category", "only"]


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["TestA", "B", "A"], ("A", "B")),
        ({"TestA": {"difficulty": "basic"}}, ("A",)),
        (
            {
                "tests": {
                    "A": {"state": "passed"},
                    "B": {"state": "blocked", "results": [{"success": True}]},
                    "C": {"results": [{"success": False}, {"success": True}]},
                    "D": {"results": []},
                }
            },
            ("A", "C"),
        ),
    ],
)
def test_lists_of_regressions_are_read_as_others_write_them(
    tmp_path: Path, given: object, names: tuple[str, ...]
) -> None:
    path = tmp_path / "regression_tests.json"
    path.write_text(json.dumps(given))
    assert read_regressions(path) == names


@pytest.mark.parametrize("text", ["7", '[""]', "{", '{"tests": 1, "": 2}'])
def test_what_is_no_list_of_regressions_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "regression_tests.json"
    path.write_text(text)
    with pytest.raises(InvalidInputError, match="list of regressions"):
        read_regressions(path)


def test_challenges_that_are_left_out_stay_cases_with_their_reason(
    prepare_as: Callable[..., Outcome], tmp_path: Path
) -> None:
    settings = write_samples(tmp_path)["agent_challenges"]
    listed = tmp_path / "passed.json"
    listed.write_text('["WriteFile", "Gone"]')
    outcome = prepare_as("agent_challenges", **settings, regressions=str(listed), which="regressions")
    facts = {case.case_id: facts_of(case) for case in outcome.cases}
    assert {name: (each.regression, each.left_out) for name, each in facts.items() if each} == {
        "write_file": (True, ""),
        "read_file": (False, "not on the list of regressions"),
    }
    assert outcome.findings["unknown_regression"] == outcome.findings["left_out"] == 1


def test_links_among_the_files_of_a_challenge_are_not_followed(read: Callable[..., Challenge], tmp_path: Path) -> None:
    folder = tmp_path / "write_file" / "artifacts_in"
    folder.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (folder / "a.txt").symlink_to(tmp_path / "secret")
    (folder / "b.bin").write_bytes(b"\xff")
    assert read(CHALLENGE).artifacts == {"artifacts_in": {"b.bin": b"\xff"}}


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
