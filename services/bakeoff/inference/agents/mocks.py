"""What stands in for an agent in a trial run: functions by name, which only who runs Bakeoff can register."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bakeoff.domain.errors import NotFoundError
from bakeoff.inference.agents.task import AgentTask
from bakeoff.inference.agents.workspace import write_files

Mock = Callable[[str, Path], None]
"""Is given the task and the workspace, and leaves there what an agent would."""
_MOCKS: dict[str, Mock] = {}


def mock_function(name: str) -> Callable[[Mock], Mock]:
    """Register a function under the name by which challenges call it; a plug-in's module does so when imported.

    Raises:
        ValueError: the name is taken.
    """

    def add(function: Mock) -> Mock:
        if name in _MOCKS:
            raise ValueError(f"two mock functions are named {name!r}")
        _MOCKS[name] = function
        return function

    return add


def run_mock(task: AgentTask, workspace: Path) -> str:
    """Do what stands in for an agent, and return what it was.

    A challenge that names no function is solved by the files of its solution, if it brings some.

    Raises:
        NotFoundError: no function has the name; the message has all known ones. Nothing is ever imported by it.
    """
    if not task.mock:
        write_files(workspace, task.solution)
        return "artifacts_out"
    if task.mock not in _MOCKS:
        known = ", ".join(sorted(_MOCKS))
        raise NotFoundError(f"no mock function is named {task.mock!r}; known: {known}")
    _MOCKS[task.mock](task.task, workspace)
    return task.mock


@mock_function("basic_read_file_mock")
def basic_read_file(task: str, workspace: Path) -> None:
    """Put `random string: ` before what the file has, as the first generation's function of that name does."""
    file = workspace / "file_to_check.txt"
    file.write_text(f"random string: {file.read_text() if file.exists() else ''}")


@mock_function("basic_write_file_mock")
def basic_write_file(task: str, workspace: Path) -> None:
    """Write a sentence with Washington in it."""
    (workspace / "file_to_check.txt").write_text("Washington DC is the capital of the United States of America")


@mock_function("basic_retrieval_mock")
def basic_retrieval(task: str, workspace: Path) -> None:
    """Write the price of a book."""
    (workspace / "file_to_check.txt").write_text("25.89")
