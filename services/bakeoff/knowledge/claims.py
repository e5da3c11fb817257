"""Who makes what: a claim that one builder holds while it makes an artefact, lost when the builder dies.

Claims save work and nothing hangs on them: two that make the same artefact store the same object, create-if-absent.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time
import uuid
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from bakeoff.contract.subjects import CLAIMS_BUCKET
from bakeoff.domain.errors import OutOfReachError
from bakeoff.runtime.bus import Bus, Entry

T = TypeVar("T")
LEASE_S = 10.0
"""A claim that was not renewed for so long, by the clock of who waits, is free: no clocks are compared."""
ANSWER_S = 30.0
"""Longest wait for the bus."""


class Claims(Protocol):
    """Claims by name; thread-safe. Two threads of a process exclude each other like two processes."""

    def take(self, name: str) -> bool:
        """Take a claim and hold it; False when somebody else holds it."""

    def give_back(self, name: str) -> None:
        """Let go of a claim that is held."""


class Buckets(Protocol):
    """The part of the bus that is needed."""

    async def kv_get(self, bucket: str, key: str) -> Entry | None:
        """Return the current value of a key; None when it has none."""

    async def kv_create(self, bucket: str, key: str, value: bytes) -> int | None:
        """Set a key that has no value; None when it has one already."""

    async def kv_update(self, bucket: str, key: str, value: bytes, revision: int) -> int | None:
        """Set a key whose revision is still the given one; None when it has moved on."""

    async def kv_delete(self, bucket: str, key: str) -> None:
        """Take away a key's value; no error when it has none."""


class OwnClaims:
    """Claims among the threads of one process."""

    def __init__(self) -> None:
        """Begin without claims."""
        self._lock = threading.Lock()
        self._held: set[str] = set()

    def take(self, name: str) -> bool:
        """Take a claim; False when another thread holds it."""
        with self._lock:
            taken = name not in self._held
            self._held.add(name)
        return taken

    def give_back(self, name: str) -> None:
        """Let go of a claim."""
        with self._lock:
            self._held.discard(name)


class SharedClaims:
    """Claims among all builders: keys of a bucket, renewed for as long as they are held."""

    def __init__(
        self,
        buckets: Buckets,
        loop: asyncio.AbstractEventLoop,
        *,
        lease_s: float = LEASE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Hold no claim yet.

        Args:
            buckets: The bus.
            loop: In which it was opened; it runs in another thread than those that take claims.
            lease_s: Seconds after which a claim that was not renewed is free.
            clock: Seconds since whenever.
        """
        self._buckets, self._loop = buckets, loop
        self._lease_s, self._clock = lease_s, clock
        self._value = uuid.uuid4().hex.encode()
        self._lock = threading.Lock()
        self._held: dict[str, int] = {}
        self._seen: dict[str, tuple[int, float]] = {}
        self._renewing: threading.Thread | None = None

    def take(self, name: str) -> bool:
        """Take a claim; False when somebody else holds it.

        Raises:
            OutOfReachError: the bus does not answer.
        """
        revision = self._ask(self._buckets.kv_create(CLAIMS_BUCKET, name, self._value))
        if revision is None and (stale := self._stale(name)) is not None:
            revision = self._ask(self._buckets.kv_update(CLAIMS_BUCKET, name, self._value, stale))
        if revision is None:
            return False
        with self._lock:
            self._seen.pop(name, None)
            self._held[name] = revision
            if self._renewing is None:
                self._renewing = threading.Thread(target=self._renew_on, name="claims", daemon=True)
                self._renewing.start()
        return True

    def give_back(self, name: str) -> None:
        """Let go of a claim; one that cannot be let go of ends with its lease."""
        with self._lock:
            if self._held.pop(name, None) is None:
                return  # lost meanwhile: it is another's now
        try:
            entry = self._ask(self._buckets.kv_get(CLAIMS_BUCKET, name))
            if entry is not None and entry.value == self._value:  # another's, when it was thought to be dead
                self._ask(self._buckets.kv_delete(CLAIMS_BUCKET, name))
        except OutOfReachError:
            return

    def _stale(self, name: str) -> int | None:
        """Return the revision of another's claim when it has stood still for a lease."""
        entry = self._ask(self._buckets.kv_get(CLAIMS_BUCKET, name))
        with self._lock:
            if entry is None or name in self._held:
                self._seen.pop(name, None)
                return None
            revision, since_s = self._seen.get(name, (0, 0.0))
            if revision != entry.revision:
                self._seen[name] = (entry.revision, self._clock())
                return None
            return revision if self._clock() - since_s > self._lease_s else None

    def _renew_on(self) -> None:
        while True:
            time.sleep(self._lease_s / 3)
            with self._lock:
                held = dict(self._held)
                if not held:
                    self._renewing = None
                    return
            for name, revision in held.items():
                self._renew(name, revision)

    def _renew(self, name: str, revision: int) -> None:
        try:
            renewed = self._ask(self._buckets.kv_update(CLAIMS_BUCKET, name, self._value, revision))
        except OutOfReachError:
            return
        with self._lock:
            if name in self._held and renewed is None:
                del self._held[name]
            elif name in self._held and renewed is not None:
                self._held[name] = renewed

    def _ask(self, call: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(call, self._loop)
        try:
            return future.result(ANSWER_S)
        except concurrent.futures.TimeoutError as error:
            future.cancel()
            raise OutOfReachError(f"the bus did not answer within {ANSWER_S:.0f} s") from error


def claims_of(bus: Bus) -> Claims:
    """Return the claims of a service: shared by all builders on an event loop, else its own."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # a child process, which builds alone what has killed others
        return OwnClaims()
    return SharedClaims(bus, loop)
