"""The child of a process pool: does one job after the other, under limits that it sets for itself."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

BEGUN = b"begun"
"""Said when a job's function is known and starts: what happens before is no fault of the job."""


@dataclass(frozen=True, slots=True)
class Job:
    """A call of an importable function."""

    function: Callable[..., object]
    arguments: tuple[object, ...]
    deadline_s: float
    prepare: Callable[[], None] | None = None
    """Called before the clock starts, such as to import libraries; it returns at once when it has nothing to do."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a call ended: with a value, or with an error."""

    value: object = None
    error: Exception | None = None


def main(memory_bytes: int) -> None:
    """Read jobs from standard input and answer on what was standard output, until the input ends."""
    jobs, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What libraries print must not mix with the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    while (job := _next(jobs)) is not None:
        if job.prepare is not None:
            job.prepare()
        _say(answers, BEGUN)
        # The parent's clock decides; this one is for a parent that died.
        signal.setitimer(signal.ITIMER_REAL, 2 * job.deadline_s + 5)
        answer = _answer(job)
        signal.setitimer(signal.ITIMER_REAL, 0)
        _say(answers, answer)
    os._exit(0)


def _next(jobs: BinaryIO) -> Job | None:
    try:
        job = pickle.load(jobs)
    except EOFError:
        return None
    return job if isinstance(job, Job) else None


def _answer(job: Job) -> bytes:
    try:
        return pickle.dumps(Done(job.function(*job.arguments)))
    except Exception as error:
        try:
            # An error may pickle and yet not come out again.
            pickle.loads(data := pickle.dumps(Done(error=error)))
        except Exception:
            return pickle.dumps(Done(error=RuntimeError(f"{type(error).__name__}: {error}")))
        return data


def _say(answers: BinaryIO, data: bytes) -> None:
    answers.write(len(data).to_bytes(8, "big") + data)
    answers.flush()
