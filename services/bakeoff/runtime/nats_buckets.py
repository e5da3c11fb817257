"""Values by key with compare-and-set, as every NATS client stores them."""

from __future__ import annotations

from bakeoff.runtime import nats_reading
from bakeoff.runtime.bus import Entry
from bakeoff.runtime.bus_rules import check_key
from bakeoff.runtime.nats_connection import NatsConnection
from bakeoff.runtime.nats_publishing import NatsPublisher
from bakeoff.runtime.nats_reading import Stored
from bakeoff.runtime.nats_streams import BUCKET_SUBJECT, NatsStreams

OPERATION = "KV-Operation"
DELETED = ("DEL", "PURGE")


class NatsBuckets:
    """The buckets of a server."""

    def __init__(self, connection: NatsConnection, streams: NatsStreams, publisher: NatsPublisher) -> None:
        """Work on a server."""
        self._connection = connection
        self._streams = streams
        self._publisher = publisher

    async def get(self, bucket: str, key: str) -> Entry | None:
        """Return the current value of a key; None when it has none."""
        current = await self._current(bucket, key)
        if current is None or is_deleted(current):
            return None
        return Entry(key, current.message.data, current.message.sequence)

    async def create(self, bucket: str, key: str, value: bytes) -> int | None:
        """Set a key that has no value; return its revision, or None when it has one already."""
        check_key(bucket, key)
        revision = await self._publisher.store(subject_of(bucket, key), value, expected=0)
        if revision is not None:
            return revision
        current = await self._current(bucket, key)
        if current is None or not is_deleted(current):
            return None
        return await self._publisher.store(subject_of(bucket, key), value, expected=current.message.sequence)

    async def update(self, bucket: str, key: str, value: bytes, revision: int) -> int | None:
        """Set a key whose revision is still the given one; return the new one, or None when it has moved on."""
        check_key(bucket, key)
        # Zero would be taken for "no message yet".
        return await self._publisher.store(subject_of(bucket, key), value, expected=revision) if revision > 0 else None

    async def put(self, bucket: str, key: str, value: bytes) -> int:
        """Set a key whatever it holds; return its revision."""
        check_key(bucket, key)
        return await self._set(bucket, key, value)

    async def keys(self, bucket: str) -> list[str]:
        """Return the keys that have a value, sorted."""
        prefix = subject_of(bucket, "")
        stream = await self._streams.of(f"{prefix}>")
        found = await nats_reading.messages(self._connection, stream, f"{prefix}>")
        return sorted(stored.message.subject[len(prefix) :] for stored in found if not is_deleted(stored))

    async def delete(self, bucket: str, key: str) -> None:
        """Take away a key's value; no error when it has none."""
        check_key(bucket, key)
        await self._set(bucket, key, b"", {OPERATION: DELETED[0]})

    async def _set(self, bucket: str, key: str, value: bytes, headers: dict[str, str] | None = None) -> int:
        revision = await self._publisher.store(subject_of(bucket, key), value, headers=headers)
        assert revision is not None  # noqa: S101  # only an expectation can fail
        return revision

    async def _current(self, bucket: str, key: str) -> Stored | None:
        check_key(bucket, key)
        subject = subject_of(bucket, key)
        return await nats_reading.last(self._connection, await self._streams.of(subject), subject)


def is_deleted(stored: Stored) -> bool:
    """Say whether a message marks that its key has no value."""
    return stored.headers.get(OPERATION) in DELETED


def subject_of(bucket: str, key: str) -> str:
    """Return the subject of a key."""
    return f"{BUCKET_SUBJECT}{bucket}.{key}"
