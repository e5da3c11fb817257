"""A sandbox for Python code that nobody has read: no network, no files but its own, bounded in all it takes."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from bakeoff.domain.errors import BakeoffError

LAUNCHER = Path(__file__).with_name("sandbox_launcher.py")
DRIVER = """
import builtins, json, os, sys
builtins.exit = builtins.quit = sys.exit
write, read, leave, own_id, flush = os.write, os.read, os._exit, os.getpid, sys.stdout.flush
process = own_id()
with os.fdopen(5, encoding="utf-8") as file:
    program = json.load(file)
space = {"__name__": "__main__", "__builtins__": builtins}
del json, os, file
for name, source in program:
    exec(compile(source, name, "exec"), space)
flush()
if own_id() == process:  # and no child of it that lives on
    write(3, read(4, 100))
leave(0)
"""
"""Runs the pieces of a program in one name space. Only after the end of the last piece it says the nonce, which it does
not hold before: it waits in a pipe."""
OUTPUT_BYTES = 64 << 10
"""Output that is kept, of each stream; the rest is read and dropped."""


class SandboxRefusedError(BakeoffError):
    """The sandbox cannot be had here, and nobody allowed to run code without it."""


class RunEnd(StrEnum):
    """How a program ended."""

    FINISHED = "finished"
    """It reached the end of its last piece."""
    ERROR = "error"
    """It raised, or a signal ended it."""
    LEFT_EARLY = "left_early"
    """It ended without an error before the end of its last piece, such as by `exit(0)`."""
    TIMED_OUT = "timed_out"
    """It used up its processor time or its time."""
    OUT_OF_MEMORY = "out_of_memory"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may take."""

    wall_s: float = 30.0
    cpu_s: int = 10
    """Processor seconds of each of its processes."""
    memory_bytes: int = 512 << 20
    """Address space of each of its processes."""
    processes: int = 16
    """Processes and threads at a time."""
    file_bytes: int = 16 << 20
    """Of one file."""
    disk_bytes: int = 64 << 20
    """Of all its files; they are in memory."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a program."""

    end: RunEnd
    reason: str
    """The last line of its error output, or what the end means; empty when it finished."""
    stdout: str
    stderr: str
    wall_s: float


@dataclass(slots=True)
class _Permission:
    unconfined: bool = False


_PERMISSION = _Permission()


def permit_unconfined(permitted: bool) -> None:
    """Allow, or forbid again, to run code where the kernel gives no sandbox: with limits, but with files and network.

    That is for the operator of the process to say, never for who asks for an evaluation.
    """
    _PERMISSION.unconfined = permitted


def run_python(pieces: tuple[tuple[str, str], ...], limits: Limits | None = None) -> Run:
    """Run pieces of Python source one after the other, in one name space and in a sandbox.

    Args:
        pieces: Name (for tracebacks) and source of each, such as the answer and its tests.
        limits: What the program may take; None for the defaults.

    Raises:
        SandboxRefusedError: the sandbox cannot be had here, and code may not run without it.
    """
    limits = limits or Limits()
    try:
        return _run(pieces, limits, confined=True)
    except SandboxRefusedError:
        if not _PERMISSION.unconfined:
            raise
        return _run(pieces, limits, confined=False)


def _run(pieces: tuple[tuple[str, str], ...], limits: Limits, confined: bool) -> Run:
    # A program without this word cannot say that it reached its end.
    nonce = secrets.token_hex(16)
    order = {
        "confined": confined,
        "limits": asdict(limits),
        "driver": DRIVER,
        "program": json.dumps(pieces),
        "nonce": nonce,
    }
    with tempfile.TemporaryDirectory(prefix="bakeoff-code-") as folder:
        started = time.monotonic()
        report, streams, in_time = _launched(order, folder, limits.wall_s)
    stdout, stderr = (stream.decode(errors="replace") for stream in streams)
    wall_s = time.monotonic() - started
    if not in_time:
        return Run(RunEnd.TIMED_OUT, f"it took longer than {limits.wall_s:g} s", stdout, stderr, wall_s)
    said = json.loads(report) if report else {"refused": f"it did not start: {_last_line(stderr)}"}
    if "refused" in said:
        raise SandboxRefusedError(
            f"generated code is not run: the sandbox cannot be had here ({said['refused']}). "
            "It needs Linux 5.12 or later and the right to make namespaces; docs/guide/code-sandbox.md says how"
        )
    end, reason = _end(said, stderr, limits)
    return Run(end, reason, stdout, stderr, wall_s)


def _end(said: dict[str, object], stderr: str, limits: Limits) -> tuple[RunEnd, str]:
    if said["finished"]:
        return RunEnd.FINISHED, ""
    code = os.waitstatus_to_exitcode(int(str(said["status"])))
    last = _last_line(stderr)
    spent = float(str(said["cpu_s"])) > limits.cpu_s - 0.5  # what the kernel counts and what it tells differ a little
    if code == -signal.SIGXCPU or (code == -signal.SIGKILL and spent):
        return RunEnd.TIMED_OUT, f"it used more than {limits.cpu_s} s of processor time"
    if last.startswith("MemoryError") or code == -signal.SIGKILL:
        return RunEnd.OUT_OF_MEMORY, f"it needs more than {limits.memory_bytes >> 20} MiB of memory"
    if code < 0:
        return RunEnd.ERROR, f"it was ended by {signal.Signals(-code).name}"
    if code == 0:
        return RunEnd.LEFT_EARLY, "it left before its end"
    return RunEnd.ERROR, last or f"it ended with status {code}"


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:500] if lines else ""


def _launched(order: dict[str, object], folder: str, wall_s: float) -> tuple[bytes, tuple[bytes, bytes], bool]:
    read, write = os.pipe()
    # The interpreter behind a virtual environment, without anything that is installed in either.
    interpreter = str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    process = subprocess.Popen(
        [interpreter, "-I", "-S", "-B", str(LAUNCHER), str(write)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(write,),
        cwd=folder,
        env={},
        start_new_session=True,
        umask=0o077,
    )
    os.close(write)
    try:
        assert process.stdin is not None  # noqa: S101  # it is a pipe
        with contextlib.suppress(BrokenPipeError):  # it died at once; its error output says why
            process.stdin.write(json.dumps(order).encode())
            process.stdin.close()
        return _listen(process, read, wall_s)
    finally:
        os.close(read)
        # All of its group, and with the launcher the whole process space.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def _listen(process: subprocess.Popen[bytes], report_fd: int, wall_s: float) -> tuple[bytes, tuple[bytes, bytes], bool]:
    assert process.stdout is not None  # noqa: S101  # it is a pipe
    assert process.stderr is not None  # noqa: S101  # it is a pipe
    report, out, err = bytearray(), bytearray(), bytearray()
    kept = {report_fd: report, process.stdout.fileno(): out, process.stderr.fileno(): err}
    until = time.monotonic() + wall_s
    with selectors.DefaultSelector() as selector:
        for fd in kept:
            selector.register(fd, selectors.EVENT_READ)
        # The report ends when the launcher ends; processes left behind may hold the other two open.
        while report_fd in selector.get_map():
            ready = selector.select(max(until - time.monotonic(), 0))
            if not ready:
                return b"", (bytes(out), bytes(err)), False
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fd)
                kept[key.fd] += data[: max(OUTPUT_BYTES - len(kept[key.fd]), 0)]
        for key in list(selector.get_map().values()):
            os.set_blocking(key.fd, False)
            _take_the_rest(key.fd, kept[key.fd])
    return bytes(report), (bytes(out), bytes(err)), True


def _take_the_rest(fd: int, kept: bytearray) -> None:
    try:
        while len(kept) < OUTPUT_BYTES and (data := os.read(fd, 1 << 16)):
            kept += data[: OUTPUT_BYTES - len(kept)]
    except BlockingIOError:
        return
