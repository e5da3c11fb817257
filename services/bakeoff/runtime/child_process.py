"""A server as a child process that never outlives this one."""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

DIE_WITH_PARENT = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""Asks the kernel for SIGKILL at the parent's death (1 is PR_SET_PDEATHSIG), which outlives the exec. A parent that
died before is noticed by its changed id. Doing this between the fork and the exec is not safe beside threads."""

LOG_TAIL_BYTES = 4000


class ChildProcess:
    """A running child. Safe to stop from any thread, any number of times."""

    def __init__(self, process: subprocess.Popen[bytes], log_path: Path) -> None:
        """Take over a process that was just started."""
        self._process = process
        self.log_path = log_path
        self._group_ended = False
        atexit.register(self.kill)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    @property
    def returncode(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        return self._process.poll()

    def terminate(self, grace_s: float) -> None:
        """Ask it to end, and kill it when it has not after so many seconds."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            pass
        finally:
            self.kill()

    def kill(self) -> None:
        """End it and what it started at once with SIGKILL, and wait until it has."""
        if not self._group_ended:  # later its number may be somebody else's
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._group_ended = True
        self._process.kill()
        self._process.wait()
        atexit.unregister(self.kill)

    def log_tail(self) -> str:
        """Return the last lines that it wrote, for an error message."""
        with contextlib.suppress(OSError):
            return self.log_path.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace").strip()
        return ""


def start_child(argv: Sequence[str], env: Mapping[str, str], log_path: Path, cwd: Path) -> ChildProcess:
    """Start a program in a process group of its own, so that an interrupt at the terminal does not reach it.

    On Linux the kernel kills it when this process dies, however that happens; elsewhere it is killed at a normal exit.

    Args:
        argv: The program, as an absolute path, and its arguments.
        env: Its whole environment; nothing is inherited.
        log_path: File to which its output is appended; only the owner may read it.
        cwd: Its working folder.

    Raises:
        OSError: it cannot be started.
    """
    command = list(argv)
    if sys.platform == "linux":
        command = [sys.executable, "-I", "-S", "-c", DIE_WITH_PARENT, str(os.getpid()), *command]

    def start() -> ChildProcess:
        log = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            process = subprocess.Popen(
                command,
                env=dict(env),
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o077,
            )
        finally:
            os.close(log)
        return ChildProcess(process, log_path)

    return _STARTER.run(start)


class _Starter:
    """Starts children from one thread that lives as long as the process.

    The kernel's death signal is tied to the thread that started the child: a child of a pool's thread would be killed
    when the pool shrinks.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[tuple[Callable[[], ChildProcess], Future[ChildProcess]]] = queue.SimpleQueue()
        self._pid = 0

    def run(self, start: Callable[[], ChildProcess]) -> ChildProcess:
        with self._lock:
            if self._pid != os.getpid():  # a fork leaves threads behind
                self._queue = queue.SimpleQueue()
                threading.Thread(target=self._work, args=(self._queue,), name="child-starter", daemon=True).start()
                self._pid = os.getpid()
        future: Future[ChildProcess] = Future()
        self._queue.put((start, future))
        return future.result()

    @staticmethod
    def _work(jobs: queue.SimpleQueue[tuple[Callable[[], ChildProcess], Future[ChildProcess]]]) -> None:
        while True:
            start, future = jobs.get()
            try:
                future.set_result(start())
            except BaseException as error:  # handed to the caller, who decides
                future.set_exception(error)


_STARTER = _Starter()
