"""Processes that compute for a build: parsing and counting words hold Python's lock, so threads would take turns.

They are children of their own making and not the standard library's, whose children import the caller's main module
again: a notebook or a script without a guard would build for ever.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, BinaryIO, TypeVar

A = TypeVar("A")
R = TypeVar("R")
LENGTH_BYTES = 8
FREE_S = 1.0
"""Seconds between two looks whether there are still as many children."""
CHILD = "bakeoff.knowledge.worker_process"


class Workers:
    """Runs functions in child processes, each one call at a time; with a count of 1, in the calling thread."""

    def __init__(self, count: int = 1, plugins: tuple[str, ...] = ()) -> None:
        """Start nothing yet: a child starts when it is first needed.

        Args:
            count: Processes, from 1.
            plugins: Modules that a child imports for their components.
        """
        self.count = count
        self._plugins = plugins
        self._lock = threading.Lock()
        self._started: list[subprocess.Popen[bytes]] = []
        self._free: queue.LifoQueue[subprocess.Popen[bytes]] = queue.LifoQueue()

    def call(self, function: Callable[..., R], *arguments: object) -> R:
        """Return what a function gives; waits for a free child.

        Args:
            function: Defined at the top of a module that a child can import.
            arguments: Can be pickled, like the result.

        Raises:
            RuntimeError: the child died; the message says how.
            Exception: what the function raised.
        """
        if self.count <= 1:
            return function(*arguments)
        child = self._child()
        try:
            result, failure = _ask(child, (function, arguments))
        except BaseException as error:
            # Nobody knows what stands in its pipes: it is not asked again.
            child.kill()
            with self._lock:
                if child in self._started:
                    self._started.remove(child)
            if isinstance(error, OSError | EOFError):
                raise RuntimeError(f"a build process ended with the exit status {child.wait()}") from error
            raise
        self._free.put(child)
        if failure is not None:
            raise failure
        return result  # type: ignore[no-any-return]  # what the function gave

    def ordered(
        self, function: Callable[[A], R], items: Iterable[A], *, step: Callable[[], None] = lambda: None
    ) -> Iterator[R]:
        """Yield the results of a function that uses `call`, in the order of the items, a few items ahead.

        Args:
            function: Called in threads of this process.
            items: Read a few ahead.
            step: Called before each item in the calling thread; what it raises ends everything.
        """
        if self.count <= 1:
            for item in items:
                step()
                yield function(item)
            return
        # One more than there are children: its thread fetches and stores while they compute.
        with ThreadPoolExecutor(self.count + 1, thread_name_prefix="build") as pool:
            ahead: deque[Future[R]] = deque()
            try:
                for item in items:
                    step()
                    ahead.append(pool.submit(function, item))
                    if len(ahead) > 2 * self.count:
                        yield ahead.popleft().result()
                while ahead:
                    yield ahead.popleft().result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                self.close()  # what is still computed is of no use
                pool.shutdown()
                self.close()  # what threads that were about to compute have started meanwhile
                raise

    def close(self) -> None:
        """End the children."""
        with self._lock:
            started, self._started = self._started, []
        for child in started:
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    pipe.close()
            child.kill()  # whatever it computes, nobody waits for
            child.wait()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _child(self) -> subprocess.Popen[bytes]:
        while True:
            try:
                return self._free.get_nowait()
            except queue.Empty:
                pass
            with self._lock:
                if len(self._started) < self.count:
                    self._started.append(_start(self._plugins))
                    return self._started[-1]
            try:
                return self._free.get(timeout=FREE_S)
            except queue.Empty:
                continue  # the one that was waited for may have died


ALONE = Workers()
"""Whoever calls computes."""


def _start(plugins: tuple[str, ...]) -> subprocess.Popen[bytes]:
    # Settings hold secrets, and none of them concerns who computes.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = "1"  # the processes are the parallelism
    return subprocess.Popen(
        [sys.executable, "-m", CHILD, *plugins], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )


def _ask(child: subprocess.Popen[bytes], order: object) -> tuple[Any, Exception | None]:
    assert child.stdin is not None  # noqa: S101  # it is a pipe
    assert child.stdout is not None  # noqa: S101  # it is a pipe
    send(child.stdin, order)
    answer: tuple[Any, Exception | None] = receive(child.stdout)
    return answer


def send(pipe: BinaryIO | Any, value: object) -> None:
    """Write a value with its length before it."""
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(LENGTH_BYTES, "little"))
    pipe.write(data)
    pipe.flush()


def receive(pipe: BinaryIO | Any) -> Any:
    """Read a value that `send` has written.

    Raises:
        EOFError: the other end is closed.
    """
    head = pipe.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        raise EOFError("the other end is closed")
    data = pipe.read(int.from_bytes(head, "little"))
    return pickle.loads(data)  # from our own child or parent
