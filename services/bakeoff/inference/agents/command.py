"""An agent that is a command: started in its workspace, given the task, ended when its time is up."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bakeoff.inference.agents.launcher import CANNOT_START

LAUNCHER = Path(__file__).with_name("launcher.py")
OUTPUT_BYTES = 64 << 10
"""Output that is kept, of each stream; the rest is read and dropped."""
FILE_BYTES = 256 << 20
"""Largest file that an agent may write."""
ENDING_S = 6.0
"""Seconds that the launcher has to end what it began, before it is ended itself."""


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """What a command may take."""

    time_s: float
    memory_bytes: int = 0
    """Address space of each of its processes; 0 for no limit."""


@dataclass(frozen=True, slots=True)
class CommandRun:
    """How a command ended."""

    status: int | None
    """Its exit status, 128 and the signal where a signal ended it; None when its time was up."""
    stdout: str
    stderr: str

    @property
    def cannot_start(self) -> bool:
        """Whether there is no such command."""
        return self.status == CANNOT_START and "cannot be started" in self.stderr


def run_command(
    command: Sequence[str], workspace: Path, *, stdin: str, environment: Mapping[str, str], limits: CommandLimits
) -> CommandRun:
    """Run a command in a workspace, and end all that it began when it ends or when its time is up.

    Args:
        command: Program and arguments.
        workspace: Its working folder.
        stdin: What it can read there.
        environment: All variables that it has.
        limits: What it may take.
    """
    process = subprocess.Popen(
        # -I and -S: the launcher needs nothing, and the agent's folder must not change it.
        [sys.executable, "-I", "-S", str(LAUNCHER), str(limits.memory_bytes), str(FILE_BYTES), *command],
        cwd=workspace,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        umask=0o077,
    )
    assert process.stdin is not None  # noqa: S101  # it is a pipe
    assert process.stdout is not None  # noqa: S101  # it is a pipe
    assert process.stderr is not None  # noqa: S101  # it is a pipe
    kept = (bytearray(), bytearray())
    threads = [
        threading.Thread(target=_feed, args=(process.stdin, stdin.encode()), daemon=True),
        *(
            threading.Thread(target=_keep, args=(pipe, buffer), daemon=True)
            for pipe, buffer in zip((process.stdout, process.stderr), kept, strict=True)
        ),
    ]
    for thread in threads:
        thread.start()
    status = _wait(process, limits.time_s)
    for thread in threads:
        thread.join(1.0)
    stdout, stderr = (bytes(each).decode(errors="replace") for each in kept)
    return CommandRun(status, stdout, stderr)


def _wait(process: subprocess.Popen[bytes], time_s: float) -> int | None:
    try:
        return process.wait(time_s)
    except subprocess.TimeoutExpired:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(ENDING_S)
        return None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _feed(pipe: IO[bytes], data: bytes) -> None:
    with contextlib.suppress(OSError), pipe:
        pipe.write(data)


def _keep(pipe: IO[bytes], buffer: bytearray) -> None:
    with contextlib.suppress(OSError, ValueError), pipe:
        while data := os.read(pipe.fileno(), 1 << 16):
            buffer += data[: max(OUTPUT_BYTES - len(buffer), 0)]


def last_line(text: str) -> str:
    """Return the last line of a program's output that says something; empty when none does."""
    lines = text.strip().splitlines()
    return lines[-1][:500] if lines else ""
