"""Functions that may hang, leak or crash, run in processes that are replaced when they do."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bakeoff.domain.errors import BakeoffError
from bakeoff.scoring.process_worker import BEGUN, Done, Job

START_S = 60.0
"""Seconds for a process to start and import what a job needs: heavy libraries on a busy machine."""
JOBS_PER_PROCESS = 1000
"""Jobs after which a process is replaced: what leaks, leaks no further."""
MEMORY_BYTES = 2 << 30
"""Address space of one process."""
BOOT = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from bakeoff.scoring.process_worker import main
main(int(sys.argv[2]))
"""
ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""The whole environment of a process. Nothing is inherited; sets iterate alike in every process."""


class DeadlineExceededError(BakeoffError):
    """A job took longer than it may; its process was killed."""


class ProcessDiedError(BakeoffError):
    """A job killed the process that did it."""


class ProcessPool:
    """A few processes that do one job each at a time. Safe to use from any thread."""

    def __init__(
        self,
        size: int,
        *,
        prepare: Callable[[], None] | None = None,
        memory_bytes: int = MEMORY_BYTES,
        jobs_per_process: int = JOBS_PER_PROCESS,
    ) -> None:
        """Make a pool; a process starts when it is first needed.

        Args:
            size: Processes at a time, from 1.
            prepare: Called in a process before each job and outside of its deadline, such as to import libraries; one
                that can be imported by its name, and returns at once when it has nothing to do.
            memory_bytes: Address space of each; a job that needs more ends with a MemoryError.
            jobs_per_process: Jobs after which a process is replaced.
        """
        self._size = size
        self._prepare = prepare
        self._memory_bytes = memory_bytes
        self._jobs_per_process = jobs_per_process
        # The process used last comes first: it is warm.
        self._free: queue.LifoQueue[_Process | None] = queue.LifoQueue()
        for _ in range(size):
            self._free.put(None)

    def run(self, function: Callable[..., object], *arguments: object, deadline_s: float) -> object:
        """Return what a function gives in another process.

        Args:
            function: One that can be imported by its name.
            arguments: Values that can be pickled.
            deadline_s: Seconds that the call may take, without the start of a process.

        Raises:
            DeadlineExceededError: it took longer.
            ProcessDiedError: it killed its process, a fresh one too.
            MemoryError: it needs more memory than a fresh process may have.
            Exception: what the function raised.
        """
        job = Job(function, arguments, deadline_s, self._prepare)
        process = self._free.get()
        try:
            process, done = self._done(process, job)
        except BaseException:
            # Whatever happened, the process is in an unknown state.
            self._free.put(None)
            raise
        self._free.put(process)
        if done.error is not None:
            raise done.error
        return done.value

    def run_all(
        self, function: Callable[..., object], rows: Sequence[tuple[object, ...]], *, deadline_s: float
    ) -> list[object]:
        """Return what a function gives for each row of arguments, in their order, using all processes.

        An error stands in the place of the value of the row that raised it.
        """

        def attempt(row: tuple[object, ...]) -> object:
            try:
                return self.run(function, *row, deadline_s=deadline_s)
            except Exception as error:
                return error

        if len(rows) <= 1:
            return [attempt(row) for row in rows]
        with ThreadPoolExecutor(min(self._size, len(rows)), thread_name_prefix="process-pool") as threads:
            return list(threads.map(attempt, rows))

    def close(self) -> None:
        """End all processes that are free; those at work end with their jobs."""
        for _ in range(self._size):
            try:
                process = self._free.get_nowait()
            except queue.Empty:
                return
            if process is not None:
                process.kill()
            self._free.put(None)

    def _done(self, process: _Process | None, job: Job) -> tuple[_Process | None, Done]:
        while True:
            used = process is not None
            if process is None:
                process = _Process.started(self._memory_bytes)
            try:
                done = process.do(job)
            except ProcessDiedError:
                process.kill()
                if not used:
                    raise
                process = None  # what earlier jobs left behind may have killed it: once more, in a fresh one
                continue
            except BaseException:
                process.kill()
                raise
            if isinstance(done.error, MemoryError):
                process.kill()
                process = None
                if used:
                    continue
            elif process.jobs >= self._jobs_per_process:
                process.kill()
                process = None
            return process, done


@dataclass(slots=True)
class _Process:
    """One child and how many jobs it did."""

    child: subprocess.Popen[bytes]
    jobs: int = 0

    @classmethod
    def started(cls, memory_bytes: int) -> _Process:
        path = [entry or str(Path.cwd()) for entry in sys.path]
        # -P and -s: nothing gets into the path but what is in this process's own.
        command = [sys.executable, "-P", "-s", "-c", BOOT, json.dumps(path), str(memory_bytes)]
        return cls(
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=ENVIRONMENT,
                start_new_session=True,  # an interrupt at the terminal is the parent's business
            )
        )

    def do(self, job: Job) -> Done:
        assert self.child.stdin is not None  # noqa: S101  # it is a pipe
        self.jobs += 1
        try:
            self.child.stdin.write(pickle.dumps(job))
            self.child.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        if self._read(START_S, "did not begin") != BEGUN:
            raise ProcessDiedError("the process of a job does not speak as it should")
        done = pickle.loads(self._read(job.deadline_s, "did not end"))
        if not isinstance(done, Done):
            raise ProcessDiedError(f"the process of a job answered with a {type(done).__name__}")
        return done

    def kill(self) -> None:
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self.child.kill()
        self.child.wait()

    def _read(self, limit_s: float, failing: str) -> bytes:
        until = time.monotonic() + limit_s
        size = int.from_bytes(self._exactly(8, until, limit_s, failing), "big")
        return self._exactly(size, until, limit_s, failing)

    def _exactly(self, size: int, until: float, limit_s: float, failing: str) -> bytes:
        assert self.child.stdout is not None  # noqa: S101  # it is a pipe
        fd, data = self.child.stdout.fileno(), bytearray()
        poll = select.poll()
        poll.register(fd, select.POLLIN | select.POLLHUP)
        while len(data) < size:
            if not poll.poll(max(until - time.monotonic(), 0) * 1000):
                raise DeadlineExceededError(f"it {failing} within {limit_s:g} s")
            piece = os.read(fd, min(size - len(data), 1 << 20))
            if not piece:
                raise self._died()
            data += piece
        return bytes(data)

    def _died(self) -> ProcessDiedError:
        try:
            code = self.child.wait(5)
        except subprocess.TimeoutExpired:
            return ProcessDiedError("the process of a job stopped answering")
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        return ProcessDiedError(f"it killed the process that worked on it ({how})")
