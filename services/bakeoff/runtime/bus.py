"""The bus as the services see it; NATS JetStream and a memory twin implement it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bakeoff.contract.subjects import ConsumerSpec, StreamSpec

MAX_PAYLOAD_BYTES = 64 * 1024
"""Larger things travel by reference; `publish` refuses them with InvalidInputError."""


@dataclass(frozen=True, slots=True)
class Message:
    """A stored message."""

    subject: str
    data: bytes
    sequence: int
    """Position in its stream, from 1."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A value in a bucket with the revision that a compare-and-set needs."""

    key: str
    value: bytes
    revision: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How a consumer stands."""

    waiting: int
    """Messages that nobody has in hand."""
    in_hand: int
    """Messages that were delivered and are not acknowledged."""
    redelivered: int
    """Of those in hand, the ones that were delivered before."""
    pulls: int
    """Requests for messages that wait for some: those who have nothing to do."""


class Delivery(Protocol):
    """A message in hand: it comes again unless it is acknowledged in time."""

    @property
    def message(self) -> Message:
        """What was delivered."""

    @property
    def deliveries(self) -> int:
        """How often it was delivered, this time included; from 1."""

    async def ack(self) -> None:
        """Acknowledge, and wait until the server has confirmed. A second acknowledgement does no harm."""

    async def nak(self, delay_s: float = 0.0) -> None:
        """Give it back, to be delivered again after a delay."""

    async def term(self) -> None:
        """Give it up: it is never delivered again."""

    async def in_progress(self) -> None:
        """Say that the work goes on; starts the ack wait anew."""


class Bus(Protocol):
    """Streams, consumers and buckets. Every method raises OutOfReachError when the server does not answer in time."""

    @property
    def connected(self) -> bool:
        """Whether the server is reachable now."""

    async def ensure(
        self, streams: Sequence[StreamSpec], consumers: Sequence[ConsumerSpec], buckets: Sequence[str]
    ) -> None:
        """Create what is missing and bring what differs to the given shape. Safe to repeat and to race."""

    async def publish(
        self, subject: str, data: bytes, *, headers: Mapping[str, str] | None = None, first_only: bool = False
    ) -> bool:
        """Store a message.

        Args:
            subject: Must belong to a stream.
            data: At most MAX_PAYLOAD_BYTES.
            headers: Sent along.
            first_only: Refuse when the subject ever had a message that is still kept (expected last sequence 0).

        Returns:
            True when it was stored; False when the subject already has one (first_only, or a stream with one message
            a subject). A repeat after an unclear answer is safe: the retry then returns False.

        Raises:
            InvalidInputError: the payload is too large, or no stream holds the subject.
        """

    async def fetch(self, consumer: ConsumerSpec, batch: int, timeout_s: float) -> list[Delivery]:
        """Return at most `batch` messages, waiting for the first; an empty list when none came in time."""

    async def last(self, subject: str) -> Message | None:
        """Return the last kept message of one subject; None when there is none."""

    async def subjects(self, filter: str) -> frozenset[str]:
        """Return the subjects that have a kept message under a filter with wildcards."""

    async def messages(self, filter: str) -> list[Message]:
        """Return the kept messages under a filter, oldest first."""

    def follow(self, filter: str, *, after: int | None = None) -> AsyncIterator[Message]:
        """Yield messages under a filter as they come, for ever; survives server restarts without a gap.

        Args:
            filter: With wildcards.
            after: Sequence after which to start; 0 replays all; None starts with what comes from now on.
        """

    async def purge(self, filter: str) -> int:
        """Remove the kept messages under a filter, queued tasks among them; return how many."""

    async def remove(self, stream: str, sequence: int) -> Message | None:
        """Remove one message of a stream by its sequence and return it; None when it was gone."""

    async def pending(self, consumer: ConsumerSpec) -> int:
        """Return how many messages of a consumer are waiting or in hand."""

    async def standing(self, consumer: ConsumerSpec) -> Standing | None:
        """Return how a consumer stands; None when there is none of the name."""

    async def kv_get(self, bucket: str, key: str) -> Entry | None:
        """Return the current value of a key; None when it has none."""

    async def kv_create(self, bucket: str, key: str, value: bytes) -> int | None:
        """Set a key that has no value; return its revision, or None when it has one already."""

    async def kv_update(self, bucket: str, key: str, value: bytes, revision: int) -> int | None:
        """Set a key whose revision is still the given one; return the new revision, or None when it has moved on."""

    async def kv_put(self, bucket: str, key: str, value: bytes) -> int:
        """Set a key whatever it holds; return its revision."""

    async def kv_keys(self, bucket: str) -> list[str]:
        """Return the keys that have a value, sorted."""

    async def kv_delete(self, bucket: str, key: str) -> None:
        """Take away a key's value; no error when it has none."""

    async def close(self) -> None:
        """Flush and disconnect, within a few seconds."""
