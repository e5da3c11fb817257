from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from pathlib import Path

import pytest

from bakeoff.runtime.child_process import ChildProcess, start_child

SHELL = shutil.which("sh") or "/bin/sh"


def start(tmp_path: Path, script: str, **environment: str) -> ChildProcess:
    return start_child([SHELL, "-c", script], environment, tmp_path / "log", tmp_path)


def until(condition: object, seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:  # type: ignore[operator]
        time.sleep(0.01)


def test_a_child_writes_its_log_for_the_owner_alone(tmp_path: Path) -> None:
    child = start(tmp_path, "echo out; echo err >&2; pwd")
    until(lambda: not child.running)

    assert child.log_tail() == f"out\nerr\n{tmp_path}"
    assert child.returncode == 0
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


def test_a_child_has_the_environment_that_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_PARENT", "1")
    child = start(tmp_path, 'echo "[$SECRET_OF_THE_PARENT][$GIVEN]"', GIVEN="yes")
    until(lambda: not child.running)

    assert child.log_tail() == "[][yes]"


def test_a_child_that_ends_when_asked_is_not_killed(tmp_path: Path) -> None:
    child = start(tmp_path, "trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.01; done")
    until(lambda: child.log_tail() == "ready")

    child.terminate(5)

    assert child.returncode == 3
    assert child.log_tail() == "ready\nbye"


def test_a_child_that_does_not_end_when_asked_is_killed(tmp_path: Path) -> None:
    child = start(tmp_path, "trap '' TERM; echo ready; while :; do sleep 0.01; done")
    until(lambda: child.log_tail() == "ready")
    began = time.monotonic()

    child.terminate(0.2)

    assert child.returncode == -9
    assert time.monotonic() - began < 20


def test_what_a_child_started_is_killed_with_it(tmp_path: Path) -> None:
    child = start(tmp_path, "sleep 60 & echo $!; wait")
    until(lambda: child.log_tail() != "")
    grandchild = int(child.log_tail())

    child.kill()

    def gone() -> bool:
        try:
            return "Z" in Path(f"/proc/{grandchild}/stat").read_text().rpartition(")")[2][:3]
        except FileNotFoundError:
            return True

    if sys.platform == "linux":
        until(gone)
        assert gone()


def test_stopping_twice_does_no_harm(tmp_path: Path) -> None:
    child = start(tmp_path, "sleep 60")

    child.kill()
    child.kill()
    child.terminate(1)

    assert not child.running


def test_a_program_that_is_not_there_ends_with_the_reason_in_its_log(tmp_path: Path) -> None:
    try:
        child = start_child(["/no/such/program"], {}, tmp_path / "log", tmp_path)
    except FileNotFoundError:
        return  # without the wrapper of Linux
    until(lambda: not child.running)

    assert child.returncode != 0
    assert "No such file" in child.log_tail()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_a_child_dies_with_its_parent(tmp_path: Path) -> None:
    parent = os.fork()
    if parent == 0:
        child = start(tmp_path, "echo started; exec sleep 60")
        (tmp_path / "pid").write_text(str(child.pid))
        until(lambda: child.log_tail() == "started")
        os._exit(0)  # no exit handlers
    os.waitpid(parent, 0)
    pid = int((tmp_path / "pid").read_text())

    until(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text()[:60])
    assert not Path(f"/proc/{pid}").exists() or ") Z" in Path(f"/proc/{pid}/stat").read_text()
