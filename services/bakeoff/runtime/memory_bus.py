"""The bus in memory: one process, one event loop, nothing outlives it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

from bakeoff.contract.subjects import ConsumerSpec, StreamSpec
from bakeoff.domain.errors import InvalidInputError, OutOfReachError
from bakeoff.runtime.bus import Delivery, Entry, Message, Standing
from bakeoff.runtime.bus_rules import check_key, check_message, matches, stream_for
from bakeoff.runtime.memory_delivery import MemoryDelivery
from bakeoff.runtime.memory_streams import Consumer, Stream, advisory


class MemoryBus:
    """The twin of the bus over NATS; see the protocol `Bus` for what each method promises."""

    def __init__(self) -> None:
        """Begin empty."""
        self._streams: dict[str, Stream] = {}
        self._buckets: dict[str, dict[str, Entry]] = {}
        self._revisions: dict[str, int] = {}
        self._waiting: set[asyncio.Future[None]] = set()
        self._away = False
        self._closed = False

    @property
    def connected(self) -> bool:
        """Whether the server is reachable now."""
        return not self._away and not self._closed

    def go_away(self) -> None:
        """Answer no more, as a server that is down: every call raises OutOfReachError; what is stored stays."""
        self._away = True
        self._wake()

    def come_back(self) -> None:
        """Answer again."""
        self._away = False
        self._wake()

    async def ensure(
        self, streams: Sequence[StreamSpec], consumers: Sequence[ConsumerSpec], buckets: Sequence[str]
    ) -> None:
        """Create what is missing and bring what differs to the given shape."""
        self._check_reachable()
        for spec in streams:
            self._streams.setdefault(spec.name, Stream(spec)).spec = spec
        for bucket in buckets:
            self._buckets.setdefault(bucket, {})
            self._revisions.setdefault(bucket, 0)
        for consumer in consumers:
            self._stream(consumer.stream).ensure_consumer(consumer)

    async def publish(
        self, subject: str, data: bytes, *, headers: Mapping[str, str] | None = None, first_only: bool = False
    ) -> bool:
        """Store a message; False when the subject does not allow it."""
        check_message(subject, data, headers or {})
        stream = self._of(subject)
        if (first_only or stream.spec.one_per_subject) and stream.last(subject):
            return False
        stream.add(subject, data, headers or {}, self._now())
        self._wake()
        return True

    async def fetch(self, consumer: ConsumerSpec, batch: int, timeout_s: float) -> list[Delivery]:
        """Return at most `batch` messages, waiting for the first."""
        deadline = self._now() + timeout_s
        while True:
            stream, state = self._consumer(consumer)
            taken: list[Delivery] = []
            while len(taken) < batch and (delivery := self._deliver(stream, state)):
                taken.append(delivery)
            left = deadline - self._now()
            if taken or left <= 0:
                return taken
            due = min(state.due.values(), default=deadline) - self._now()
            state.pulls += 1
            try:
                await self._changed(max(0.0, min(left, due)))
            finally:
                state.pulls -= 1

    async def last(self, subject: str) -> Message | None:
        """Return the last kept message of one subject."""
        return self._of(subject).last(subject)

    async def subjects(self, filter: str) -> frozenset[str]:
        """Return the subjects that have a kept message under a filter."""
        return frozenset(subject for subject in self._of(filter).by_subject if matches(filter, subject))

    async def messages(self, filter: str) -> list[Message]:
        """Return the kept messages under a filter, oldest first."""
        return list(self._of(filter).under(filter))

    async def follow(self, filter: str, *, after: int | None = None) -> AsyncIterator[Message]:
        """Yield messages under a filter as they come, for ever; what comes "from now on" counts from the first step."""
        stream = self._of(filter)
        seen = stream.last_sequence if after is None else after
        while not self._closed:
            found = list(stream.under(filter, seen)) if self.connected else []
            for message in found:
                seen = message.sequence
                yield message
            if not found:
                await self._changed(None)
        self._check_reachable()

    async def purge(self, filter: str) -> int:
        """Remove the kept messages under a filter."""
        stream = self._of(filter)
        found = list(stream.under(filter))
        for message in found:
            stream.take_out(message.sequence)
        return len(found)

    async def remove(self, stream: str, sequence: int) -> Message | None:
        """Remove one message of a stream by its sequence and return it."""
        return self._stream(stream).take_out(sequence)

    async def pending(self, consumer: ConsumerSpec) -> int:
        """Return how many messages of a consumer are waiting or in hand."""
        stream, state = self._consumer(consumer)
        return stream.pending(state)

    async def standing(self, consumer: ConsumerSpec) -> Standing | None:
        """Return how a consumer stands; None when there is none of the name."""
        stream = self._stream(consumer.stream)
        state = stream.consumers.get(consumer.durable)
        if state is None:
            return None
        in_hand = len(state.due)
        again = sum(state.deliveries.get(sequence, 0) > 1 for sequence in state.due)
        return Standing(stream.pending(state) - in_hand, in_hand, again, state.pulls)

    async def kv_get(self, bucket: str, key: str) -> Entry | None:
        """Return the current value of a key."""
        return self._bucket(bucket, key).get(key)

    async def kv_create(self, bucket: str, key: str, value: bytes) -> int | None:
        """Set a key that has no value."""
        return None if key in self._bucket(bucket, key) else self._set(bucket, key, value)

    async def kv_update(self, bucket: str, key: str, value: bytes, revision: int) -> int | None:
        """Set a key whose revision is still the given one."""
        current = self._bucket(bucket, key).get(key)
        return self._set(bucket, key, value) if current and current.revision == revision else None

    async def kv_put(self, bucket: str, key: str, value: bytes) -> int:
        """Set a key whatever it holds."""
        self._bucket(bucket, key)
        return self._set(bucket, key, value)

    async def kv_keys(self, bucket: str) -> list[str]:
        """Return the keys that have a value."""
        return sorted(self._bucket(bucket))

    async def kv_delete(self, bucket: str, key: str) -> None:
        """Take away a key's value."""
        self._bucket(bucket, key).pop(key, None)
        self._revisions[bucket] += 1

    async def close(self) -> None:
        """Answer no more; ends every waiting."""
        self._closed = True
        self._wake()

    def _check_reachable(self) -> None:
        if not self.connected:
            raise OutOfReachError(
                f"the bus in memory does not answer: it {'was closed' if self._closed else 'is away'}"
            )

    def _stream(self, name: str) -> Stream:
        self._check_reachable()
        if name not in self._streams:
            raise InvalidInputError(f"no stream is named {name!r}; there are: {', '.join(sorted(self._streams))}")
        stream = self._streams[name]
        stream.expire(self._now())
        return stream

    def _of(self, filter: str) -> Stream:
        self._check_reachable()
        name = stream_for(filter, [(stream.spec.name, stream.spec.subjects) for stream in self._streams.values()])
        if name is None:
            raise InvalidInputError(
                f"no stream holds the subject {filter!r}; there are: {', '.join(sorted(self._streams)) or 'none'}"
            )
        return self._stream(name)

    def _consumer(self, spec: ConsumerSpec) -> tuple[Stream, Consumer]:
        stream = self._stream(spec.stream)
        return stream, stream.consumers.get(spec.durable) or stream.ensure_consumer(spec)

    def _bucket(self, bucket: str, key: str | None = None) -> dict[str, Entry]:
        self._check_reachable()
        if bucket not in self._buckets:
            raise InvalidInputError(f"no bucket is named {bucket!r}; there are: {', '.join(sorted(self._buckets))}")
        if key is not None:
            check_key(bucket, key)
        return self._buckets[bucket]

    def _set(self, bucket: str, key: str, value: bytes) -> int:
        self._revisions[bucket] += 1
        self._buckets[bucket][key] = Entry(key, value, self._revisions[bucket])
        return self._revisions[bucket]

    def _deliver(self, stream: Stream, consumer: Consumer) -> MemoryDelivery | None:
        while delivered := stream.deliver(consumer, self._now()):
            message, deliveries = delivered
            if deliveries <= consumer.spec.max_deliver:
                return MemoryDelivery(self, stream, consumer, message, deliveries)
            # As in JetStream, the message stays in the stream, and nobody gets it any more.
            consumer.drop(message.sequence)
            self.advise("MAX_DELIVERIES", consumer, message.sequence, deliveries - 1)
        return None

    def settle(self, stream: Stream, consumer: Consumer, sequence: int) -> None:
        """Take a message as done with."""
        self._check_reachable()
        stream.settle(consumer, sequence)
        self._wake()

    def give_back(self, consumer: Consumer, sequence: int, delay_s: float) -> None:
        """Have a message in hand delivered again after a delay."""
        self._check_reachable()
        consumer.give_back(sequence, self._now() + delay_s)
        self._wake()

    def advise(self, kind: str, consumer: Consumer, sequence: int, deliveries: int) -> None:
        """Store the server's word that it gave up a message, if a stream holds such."""
        subject, payload = advisory(kind, consumer, sequence, deliveries)
        for stream in self._streams.values():
            if any(matches(held, subject) for held in stream.spec.subjects):
                stream.add(subject, payload, {}, self._now())
        self._wake()

    def _wake(self) -> None:
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def _changed(self, timeout_s: float | None) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            await asyncio.wait([waiter], timeout=timeout_s)
        finally:
            self._waiting.discard(waiter)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
