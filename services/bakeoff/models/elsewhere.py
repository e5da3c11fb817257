"""The buckets of a bus that lives in another thread's event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from bakeoff.models.shared_limiter import Buckets
from bakeoff.runtime.bus import Entry

T = TypeVar("T")


class BucketsElsewhere:
    """Passes calls on to the loop in which a bus was opened, for those who run one of their own."""

    def __init__(self, buckets: Buckets, loop: asyncio.AbstractEventLoop) -> None:
        """Pass calls on.

        Args:
            buckets: The bus.
            loop: In which it was opened; runs in another thread for as long as it is used.
        """
        self._buckets = buckets
        self._loop = loop

    async def kv_get(self, bucket: str, key: str) -> Entry | None:
        """Return the current value of a key; None when it has none."""
        return await self._there(self._buckets.kv_get(bucket, key))

    async def kv_create(self, bucket: str, key: str, value: bytes) -> int | None:
        """Set a key that has no value; None when it has one already."""
        return await self._there(self._buckets.kv_create(bucket, key, value))

    async def kv_update(self, bucket: str, key: str, value: bytes, revision: int) -> int | None:
        """Set a key whose revision is still the given one; None when it has moved on."""
        return await self._there(self._buckets.kv_update(bucket, key, value, revision))

    async def _there(self, call: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call, self._loop))
