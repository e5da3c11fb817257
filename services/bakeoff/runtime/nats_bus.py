"""The bus over NATS JetStream."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence

from bakeoff.contract.bus_permissions import STAGES
from bakeoff.contract.subjects import ConsumerSpec, StreamSpec
from bakeoff.runtime import nats_delivery, nats_following, nats_leader, nats_reading
from bakeoff.runtime.bus import Delivery, Entry, Message, Standing
from bakeoff.runtime.bus_rules import check_message
from bakeoff.runtime.nats_api import RefusedError, call, delete
from bakeoff.runtime.nats_buckets import NatsBuckets
from bakeoff.runtime.nats_connection import PATIENCE_S, NatsConnection
from bakeoff.runtime.nats_opening import Login
from bakeoff.runtime.nats_publishing import NatsPublisher
from bakeoff.runtime.nats_streams import NatsStreams


class NatsBus:
    """Streams, consumers and buckets of a NATS server; see the protocol `Bus` for what each method promises."""

    def __init__(self, connection: NatsConnection, replicas: int, *, makes: bool = True) -> None:
        """Work over an open connection.

        Args:
            connection: To the server.
            replicas: Copies of every stream and bucket, 1 to 5.
            makes: Whether its user may make streams.
        """
        self._connection = connection
        self._streams = NatsStreams(connection, replicas, makes=makes)
        self._publisher = NatsPublisher(connection, self._streams)
        self._buckets = NatsBuckets(connection, self._streams, self._publisher)

    @classmethod
    async def connect(
        cls,
        url: str,
        token: str = "",
        *,
        replicas: int = 1,
        name: str = "bakeoff",
        patience_s: float = PATIENCE_S,
        user: str = "",
        password: str = "",
        authorities: str = "",
    ) -> NatsBus:
        """Connect, and stay connected for ever.

        Args:
            url: `nats://host:port`, or `tls://` to have TLS in any case; several servers of a cluster are separated by
                commas.
            token: What the server wants to see; empty for none.
            replicas: Copies of every stream and bucket, 1 to 5.
            name: Who connects, for the server's own listing.
            patience_s: How long each call, this one included, waits for a server that does not answer.
            user: Who connects, with a password instead of a token; empty for none. A service's own user makes no
                streams, but waits for them.
            password: The user's.
            authorities: PEM file of the authorities of the server's certificate; empty means the system's.

        Raises:
            OutOfReachError: nobody answers; the message has the address.
            InvalidInputError: the server refuses the token, or the user and the password.
        """
        servers = tuple(server.strip() for server in url.split(","))
        connection = NatsConnection(Login(servers, token, name, user, password, authorities), patience_s)
        await connection.open()
        return cls(connection, replicas, makes=user not in STAGES)

    @property
    def connected(self) -> bool:
        """Whether the server is reachable now."""
        return self._connection.connected

    async def ensure(
        self, streams: Sequence[StreamSpec], consumers: Sequence[ConsumerSpec], buckets: Sequence[str]
    ) -> None:
        """Create what is missing and bring what differs to the given shape."""
        await self._streams.ensure(streams, consumers, buckets)

    async def publish(
        self, subject: str, data: bytes, *, headers: Mapping[str, str] | None = None, first_only: bool = False
    ) -> bool:
        """Store a message; False when the subject does not allow it."""
        check_message(subject, data, headers or {})
        expected = 0 if first_only else None
        return await self._publisher.store(subject, data, headers=headers, expected=expected) is not None

    async def fetch(self, consumer: ConsumerSpec, batch: int, timeout_s: float) -> list[Delivery]:
        """Return at most `batch` messages, waiting for the first."""
        return list(await nats_delivery.fetch(self._connection, self._streams, consumer, batch, timeout_s))

    async def last(self, subject: str) -> Message | None:
        """Return the last kept message of one subject."""
        found = await nats_reading.last(self._connection, await self._streams.of(subject), subject)
        return found.message if found else None

    async def subjects(self, filter: str) -> frozenset[str]:
        """Return the subjects that have a kept message under a filter."""
        return await nats_reading.subjects(self._connection, await self._streams.of(filter), filter)

    async def messages(self, filter: str) -> list[Message]:
        """Return the kept messages under a filter, oldest first."""
        found = await nats_reading.messages(self._connection, await self._streams.of(filter), filter)
        return [stored.message for stored in found]

    async def follow(self, filter: str, *, after: int | None = None) -> AsyncIterator[Message]:
        """Yield messages under a filter as they come, for ever; what comes "from now on" counts from the first step."""
        stream = await self._streams.of(filter)
        async with contextlib.aclosing(nats_following.follow(self._connection, stream, filter, after)) as messages:
            async for message in messages:
                yield message

    async def purge(self, filter: str) -> int:
        """Remove the kept messages under a filter."""
        stream = await self._streams.of(filter)
        return int((await call(self._connection, f"STREAM.PURGE.{stream}", {"filter": filter}))["purged"])

    async def remove(self, stream: str, sequence: int) -> Message | None:
        """Remove one message of a stream by its sequence and return it."""
        found = await nats_leader.at(self._connection, stream, sequence)
        if found is None or not await delete(self._connection, stream, sequence):
            return None
        return found.message

    async def pending(self, consumer: ConsumerSpec) -> int:
        """Return how many messages of a consumer are waiting or in hand."""
        try:
            info = await call(self._connection, f"CONSUMER.INFO.{consumer.stream}.{consumer.durable}")
        except RefusedError:
            info = await self._streams.ensure_consumer(consumer)
        return int(info["num_pending"]) + int(info["num_ack_pending"])

    async def standing(self, consumer: ConsumerSpec) -> Standing | None:
        """Return how a consumer stands; None when there is none of the name."""
        try:
            info = await call(self._connection, f"CONSUMER.INFO.{consumer.stream}.{consumer.durable}")
        except RefusedError:
            return None
        names = ("num_pending", "num_ack_pending", "num_redelivered", "num_waiting")
        return Standing(*(int(info.get(name, 0)) for name in names))

    async def kv_get(self, bucket: str, key: str) -> Entry | None:
        """Return the current value of a key."""
        return await self._buckets.get(bucket, key)

    async def kv_create(self, bucket: str, key: str, value: bytes) -> int | None:
        """Set a key that has no value."""
        return await self._buckets.create(bucket, key, value)

    async def kv_update(self, bucket: str, key: str, value: bytes, revision: int) -> int | None:
        """Set a key whose revision is still the given one."""
        return await self._buckets.update(bucket, key, value, revision)

    async def kv_put(self, bucket: str, key: str, value: bytes) -> int:
        """Set a key whatever it holds."""
        return await self._buckets.put(bucket, key, value)

    async def kv_keys(self, bucket: str) -> list[str]:
        """Return the keys that have a value."""
        return await self._buckets.keys(bucket)

    async def kv_delete(self, bucket: str, key: str) -> None:
        """Take away a key's value."""
        await self._buckets.delete(bucket, key)

    async def close(self) -> None:
        """Flush and disconnect."""
        await self._connection.close()
