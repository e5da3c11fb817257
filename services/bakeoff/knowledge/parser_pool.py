"""Parsing in processes of its own: a document that breaks, fills or occupies one fails alone."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Annotated

import msgspec

from bakeoff.knowledge.parser_child import Order, Outcome, read_message, write_message
from bakeoff.knowledge.parsing import ParsedDocument, Parser, SourceDocument, UnreadableDocumentError
from bakeoff.runtime.registry import Is

CPU_S = 60.0
MEMORY_MB = 2048
CpuLimit = Annotated[float, Is("seconds of CPU time that a document may take", minimum=1.0)]
MemoryLimit = Annotated[int, Is("MiB of memory that parsing a document may take", minimum=256)]
WALL_PER_CPU = 10
"""Seconds on the clock for each of CPU time: a process that waits for ever ends too, one on a busy machine does not."""
DOCUMENTS_PER_CHILD = 1000
"""Then it is replaced: libraries leak."""

Reader = Callable[..., ParsedDocument]
"""Takes a SourceDocument and settings by keyword; a function of a module, so that another process finds it."""


class FaultyParserError(Exception):
    """A parser raised what it must not; the message has the error's class and words."""


def isolated(
    reader: Reader,
    settings: Mapping[str, object] | None = None,
    *,
    cpu_s: float = CPU_S,
    memory_mb: int = MEMORY_MB,
    inline_bytes: int = 0,
) -> Parser:
    """Return a parser that calls a reader in another process.

    Args:
        reader: What parses.
        settings: Its settings, of JSON values.
        cpu_s: Seconds of CPU time that a document may take.
        memory_mb: MiB of memory that it may take.
        inline_bytes: Documents up to this size are parsed here: for readers that small ones cannot harm.

    Raises:
        ValueError: another process cannot find the reader.
    """
    if reader.__module__ == "__main__" or "<" in reader.__qualname__:
        raise ValueError(f"{reader.__qualname__} must be a function at the top of a module that can be imported")
    keywords = dict(settings or {})

    def parse(source: SourceDocument) -> ParsedDocument:
        if len(source.data) <= inline_bytes:
            return reader(source, **keywords)
        order = Order(reader.__module__, reader.__qualname__, source, keywords, cpu_s, memory_mb << 20)
        outcome = POOL.run(order)
        if outcome.parsed is not None:
            return outcome.parsed
        if outcome.fault:
            raise FaultyParserError(outcome.fault)
        raise UnreadableDocumentError(outcome.unreadable)

    return parse


class ParserPool:
    """Processes that parse, started when they are needed, as many as calls at once; idle ones are kept."""

    def __init__(self, keep: int) -> None:
        """Begin without processes.

        Args:
            keep: Idle ones that are kept at most.
        """
        self._keep = keep
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        self._pid = os.getpid()

    def run(self, order: Order) -> Outcome:
        """Parse a document; whatever happens to the process is told as the reason why it cannot be read."""
        child = self._taken()
        outcome = child.run(order)
        self._put_back(child)
        return outcome

    def close(self) -> None:
        """End all idle processes."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.end()

    def _taken(self) -> _Child:
        with self._lock:
            if self._pid != os.getpid():  # after a fork they are the parent's
                self._idle, self._pid = [], os.getpid()
            while self._idle:
                child = self._idle.pop()
                if child.usable:
                    return child
                child.end()
        return _Child()

    def _put_back(self, child: _Child) -> None:
        with self._lock:
            if child.usable and len(self._idle) < self._keep:
                self._idle.append(child)
                return
        child.end()


class _Child:
    """One process; parses one document at a time."""

    def __init__(self) -> None:
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")},
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "OMP_NUM_THREADS": "1",  # threads take address space
            "OPENBLAS_NUM_THREADS": "1",
            "MALLOC_ARENA_MAX": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bakeoff.knowledge.parser_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._left = DOCUMENTS_PER_CHILD

    @property
    def usable(self) -> bool:
        """Whether it can take another document."""
        return self._left > 0 and self._process.poll() is None

    def run(self, order: Order) -> Outcome:
        """Send an order and wait for its outcome."""
        self._left -= 1
        assert self._process.stdin is not None  # noqa: S101  # it is a pipe
        assert self._process.stdout is not None  # noqa: S101  # it is a pipe
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(order.cpu_s * WALL_PER_CPU, stop)
        timer.daemon = True
        timer.start()
        try:
            write_message(self._process.stdin, order)
            data = read_message(self._process.stdout)
        except BrokenPipeError:
            data = None
        finally:
            timer.cancel()
        if data is not None:
            return msgspec.msgpack.decode(data, type=Outcome)
        code = self._process.wait()
        if late.is_set():
            return Outcome(unreadable=f"parsing it took more than {order.cpu_s * WALL_PER_CPU:g} s on the clock")
        return Outcome(unreadable=_death(code, order))

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()


def _death(code: int, order: Order) -> str:
    if code == -signal.SIGXCPU:
        return f"parsing it takes more than {order.cpu_s:g} s of CPU time"
    how = f"exit status {code}"
    if code < 0:
        with contextlib.suppress(ValueError):
            how = f"signal {signal.Signals(-code).name}"
    memory = order.memory_bytes >> 20
    return f"it killed the process that parsed it ({how}), perhaps for want of more than {memory} MiB of memory"


POOL = ParserPool(keep=max(2, os.cpu_count() or 1))
atexit.register(POOL.close)
