"""Many small objects at once from an event loop: what each store can do of it by itself, or else in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol, TypeVar

from bakeoff.runtime.objects import OCTETS, Created, ObjectStore

T = TypeVar("T")
THREADS = 8
"""Objects that are read or written at once where a store only knows threads."""


class AsyncObjects(Protocol):
    """The part of an object store that small objects need; may be used from several event loops at once.

    Each method does, and raises, what that of the same name of `ObjectStore` does.
    """

    async def create(self, key: str, data: bytes, *, media_type: str = OCTETS) -> Created:
        """Write an object unless its key is taken."""

    async def read_key(self, key: str) -> bytes:
        """Return an object's bytes, verified against the digest that its writer stated, if any."""

    async def keys(self, prefix: str) -> list[str]:
        """Return the keys that start with a prefix that ends with `/`, in no order."""

    def close(self) -> None:
        """Let go of threads and connections."""


class ObjectsInThreads:
    """Any store, a thread for each call."""

    def __init__(self, objects: ObjectStore) -> None:
        """Use a store."""
        self._objects = objects
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="objects")

    async def create(self, key: str, data: bytes, *, media_type: str = OCTETS) -> Created:
        """Write an object unless its key is taken."""
        return await self._run(partial(self._objects.create, key, data, media_type=media_type))

    async def read_key(self, key: str) -> bytes:
        """Return an object's bytes, verified against the digest that its writer stated, if any."""
        return await self._run(partial(self._objects.read_key, key))

    async def keys(self, prefix: str) -> list[str]:
        """Return the keys that start with a prefix, in no order."""
        return await self._run(lambda: [info.key for info in self._objects.list(prefix)])

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=True)

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)
