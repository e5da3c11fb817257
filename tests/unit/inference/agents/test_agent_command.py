"""Agents that are commands: told, bounded, and ended with all that they began."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from bakeoff.domain.answer import CaseAnswer, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.challenge import ChallengeFacts
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.workspace_files import pack_files
from bakeoff.inference.agents.permission import permit_commands
from bakeoff.inference.core import Answering, NoKnowledge, answer_cases
from bakeoff.inference.registries import generators

generators.load()
PYTHON = sys.executable


@pytest.fixture(autouse=True)
def _permitted() -> Iterator[None]:
    permit_commands(True)
    yield
    permit_commands(True)


def a_case(files: dict[str, bytes] | None = None, *, query: str = "Do it.", cutoff_s: int | None = 20) -> Case:
    facts = ChallengeFacts("A", difficulty="basic", cutoff_s=cutoff_s)
    workspace = {"artifacts_in": pack_files(files or {})}
    return Case("a", query, metadata={"challenge": facts.as_metadata(), "workspace": workspace})


def ask(case: Case, program: str, *words: str, **settings: object) -> CaseAnswer:
    """Ask an agent that is a Python program."""
    spec = ComponentSpec("agent_command", {"command": [PYTHON, "-c", program, *words], **settings})
    answering = Answering(generators.make(spec), seed=0)  # type: ignore[arg-type]  # it is no model
    (answer,) = answer_cases([case], NoKnowledge(), answering, begin=lambda case_id="": None)
    return answer


WRITE = "import pathlib, sys; pathlib.Path('out.txt').write_text({}); print('done')"


@pytest.mark.parametrize(
    ("told_by", "words", "program"),
    [
        ("stdin", [], WRITE.format("sys.stdin.read()")),
        ("argument", [], WRITE.format("sys.argv[1]")),
        ("argument", ["--task={task}"], WRITE.format("sys.argv[1].removeprefix('--task=')")),
        ("file", [], WRITE.format("pathlib.Path(sys.argv[1]).read_text()")),
        ("file", ["{task_file}", "last"], WRITE.format("pathlib.Path(sys.argv[1]).read_text()")),
    ],
)
def test_a_task_reaches_the_agent_word_for_word(told_by: str, words: list[str], program: str) -> None:
    task = "Say '{workspace}' and \"ü\"\n$HOME; {task}"
    answer = ask(a_case(query=task), program, *words, task=told_by)
    assert answer.failure is None
    assert (answer.text, answer.metadata["files"]) == ("done", {"out.txt": task})
    assert answer.metadata["agent"] == {"end": "finished"}


def test_each_case_has_a_fresh_workspace_with_its_files() -> None:
    program = "import os; print(sorted(os.listdir())); open('new', 'w').close()"
    assert ask(a_case({"a.txt": b"1"}), program).text == "['a.txt']"
    assert ask(a_case({"b.txt": b"2"}), program).text == "['b.txt']"


def test_an_agent_has_none_of_the_workers_variables_but_those_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAKEOFF_S3_SECRET_KEY", "hush")
    monkeypatch.setenv("MY_TOKEN", "mine")
    monkeypatch.setenv("MY_OTHER", "other")
    program = "import os; print(sorted(name for name in os.environ if 'MY' in name or 'BAKEOFF' in name))"
    assert ask(a_case(), program, variables=["MY_TOKEN"]).text == "['MY_TOKEN']"
    with pytest.raises(InvalidInputError, match="variables: must not be of Bakeoff's own, not 'BAKEOFF_S3_SECRET_KEY'"):
        ask(a_case(), program, variables=["BAKEOFF_S3_SECRET_KEY"])


def test_when_its_time_is_up_an_agent_and_all_that_it_began_are_ended() -> None:
    program = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)\n"
        "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
        "time.sleep(60)\n"
    )
    answer = ask(a_case(cutoff_s=2), program)
    assert answer.failure is None
    assert answer.metadata["agent"] == {"end": "timed_out", "reason": "it used up its 2 s"}
    files = answer.metadata["files"]
    assert isinstance(files, dict)
    pids = [int(pid) for pid in files["pids"].split()]
    assert len(pids) == 2
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


def test_what_an_agent_leaves_running_ends_with_it() -> None:
    program = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=True)\n"
        "print(child.pid)\n"
    )
    pid = int(ask(a_case(), program).text or 0)
    assert pid
    assert not psutil.pid_exists(pid)


def test_memory_is_bounded() -> None:
    answer = ask(a_case(), "x = bytearray(300 << 20); print('had it')", memory_mb=128)
    assert answer.failure is not None
    assert answer.failure.kind is FailureKind.MODEL
    assert "ended with status 1: MemoryError" in answer.failure.reason


def test_an_agent_that_fails_and_leaves_nothing_has_failed_and_says_why() -> None:
    answer = ask(a_case({"a": b"x"}), "raise SystemExit('no key')")
    assert answer.failure is not None
    assert answer.failure.reason == "the agent left nothing, and it ended with status 1: no key"


def test_an_agent_that_fails_and_leaves_something_is_judged_by_it() -> None:
    answer = ask(a_case(), "open('out.txt', 'w').write('x'); raise SystemExit(3)")
    assert answer.failure is None
    assert answer.metadata["agent"] == {"end": "error", "reason": "it ended with status 3"}
    assert answer.metadata["files"] == {"out.txt": "x"}


def test_a_program_that_is_not_there_fails_the_case() -> None:
    spec = ComponentSpec("agent_command", {"command": ["/no/such/agent"]})
    answering = Answering(generators.make(spec), seed=0)  # type: ignore[arg-type]
    (answer,) = answer_cases([a_case()], NoKnowledge(), answering, begin=lambda case_id="": None)
    assert answer.failure is not None
    assert "'/no/such/agent' cannot be started: No such file" in answer.failure.reason


def test_output_without_end_is_cut() -> None:
    answer = ask(a_case(), "import sys; sys.stdout.write('x' * (5 << 20))")
    assert answer.text == "x" * (64 << 10)


def test_a_trial_run_starts_no_command(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    answer = ask(a_case(), f"open({str(mark)!r}, 'w')", mock=True)
    assert answer.metadata["agent"] == {"end": "finished", "mock": "artifacts_out"}
    assert not mark.exists()


def test_commands_are_refused_where_the_operator_does_not_permit_them() -> None:
    permit_commands(False)
    with pytest.raises(InvalidInputError, match="set BAKEOFF_AGENT_COMMANDS=true where only trusted people ask"):
        ask(a_case(), "print(1)")


@pytest.mark.parametrize(
    ("command", "problem"), [([], "must have a program"), ([" "], "must have a program"), (["a", 1], "must be texts")]
)
def test_a_command_that_is_none_is_refused(command: list[object], problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        generators.make(ComponentSpec("agent_command", {"command": command}))


def test_no_file_descriptor_is_left_open() -> None:
    ask(a_case(), "print(1)")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        ask(a_case(), "print(1)")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
