"""Workspaces: fresh, bounded, and without a way out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import Case
from bakeoff.domain.challenge import ChallengeFacts
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.workspace_files import pack_files
from bakeoff.inference.agents.mocks import mock_function, run_mock
from bakeoff.inference.agents.task import AgentTask
from bakeoff.inference.agents.workspace import Keep, collect, fresh_workspace


def test_a_workspace_has_the_files_of_its_case_and_is_gone_afterwards() -> None:
    with fresh_workspace({"a.txt": b"x", "deep/b.bin": b"\xff"}) as workspace:
        assert collect(workspace, Keep()).files == {"a.txt": b"x", "deep/b.bin": b"\xff"}
        (workspace / "locked").mkdir()
        (workspace / "locked" / "c").write_text("x")
        (workspace / "locked").chmod(0)
    assert not workspace.parent.exists()


def test_nothing_is_kept_by_way_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    with fresh_workspace({"own.txt": b"own"}) as workspace:
        (workspace / "link.txt").symlink_to(tmp_path / "secret")
        (workspace / "folder").symlink_to(tmp_path)
        os.link(tmp_path / "secret", workspace / "hard.txt")
        os.mkfifo(workspace / "pipe")
        left = collect(workspace, Keep())
    assert left.files == {"own.txt": b"own"}
    assert left.left_out == {
        "link.txt": "it is a link",
        "folder": "it is a link",
        "hard.txt": "it is a hard link",
        "pipe": "it is no file",
    }


def test_what_is_kept_is_bounded_and_the_rest_is_named() -> None:
    with fresh_workspace({f"{name}.txt": b"x" * 6 for name in "abcd"} | {"big": b"x" * 11}) as workspace:
        by_size = collect(workspace, Keep(files=9, file_bytes=10, total_bytes=12))
        by_count = collect(workspace, Keep(files=1))
    assert list(by_size.files) == ["a.txt", "b.txt"]
    assert by_size.left_out["big"] == "it has 11 bytes, more than 10"
    assert by_size.left_out["d.txt"] == "all files together have more than 12 bytes"
    assert (len(by_count.files), set(by_count.left_out.values())) == (1, {"there are more than 1 files"})


def a_challenge(mock: str = "", **folders: dict[str, bytes]) -> Case:
    facts = ChallengeFacts("A", difficulty="basic", cutoff_s=7, mock=mock)
    workspace = {name: pack_files(files) for name, files in folders.items()}
    return Case("a", "Do it.", metadata={"challenge": facts.as_metadata(), "workspace": workspace})


def test_an_agent_sees_what_goes_in_and_never_the_solution() -> None:
    task = AgentTask.of(a_challenge(artifacts_in={"a": b"in"}, artifacts_out={"b": b"out"}, custom_python={"t": b"c"}))
    assert (task.task, task.files, task.cutoff_s) == ("Do it.", {"a": b"in"}, 7)


def test_a_trial_run_without_a_function_leaves_the_solution() -> None:
    task = AgentTask.of(a_challenge(artifacts_out={"out/b.txt": b"out"}))
    with fresh_workspace(task.files) as workspace:
        assert run_mock(task, workspace) == "artifacts_out"
        assert collect(workspace, Keep()).files == {"out/b.txt": b"out"}


def test_the_first_generations_functions_act_as_theirs_did() -> None:
    task = AgentTask.of(a_challenge("basic_read_file_mock", artifacts_in={"file_to_check.txt": b"this is how"}))
    with fresh_workspace(task.files) as workspace:
        run_mock(task, workspace)
        assert collect(workspace, Keep()).files == {"file_to_check.txt": b"random string: this is how"}


@pytest.mark.parametrize("name", ["os.system", "bakeoff.inference.agents.mocks", "nope"])
def test_a_function_that_nobody_registered_is_unknown_and_nothing_is_imported(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFoundError, match=r"no mock function is named .*; known: basic_read_file_mock, basic_retri"):
        run_mock(AgentTask.of(a_challenge(name)), tmp_path)
    assert not list(tmp_path.iterdir())


def test_two_functions_cannot_have_one_name() -> None:
    with pytest.raises(ValueError, match="two mock functions are named 'basic_write_file_mock'"):
        mock_function("basic_write_file_mock")(lambda task, workspace: None)
