"""Streams and consumers in memory, with what matters of JetStream's behaviour. The time is handed in, in seconds."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from bakeoff.contract.subjects import ConsumerSpec, Retention, StreamSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.runtime.bus import Message
from bakeoff.runtime.bus_rules import matches, overlap

ADVISORY = "$JS.EVENT.ADVISORY.CONSUMER"


@dataclass(slots=True)
class Consumer:
    """What a durable consumer remembers."""

    spec: ConsumerSpec
    next_sequence: int = 1
    """First message that it has not looked at."""
    due: dict[int, float] = field(default_factory=dict)
    """When each message in hand is delivered again unless acknowledged, by sequence."""
    again: deque[int] = field(default_factory=deque)
    """Messages to be delivered again now."""
    deliveries: dict[int, int] = field(default_factory=dict)
    """How often each message that is not settled was delivered."""
    pulls: int = 0
    """Requests for messages that wait for some."""

    def drop(self, sequence: int) -> None:
        """Deliver a message no more."""
        self.due.pop(sequence, None)
        self.deliveries.pop(sequence, None)
        if sequence in self.again:
            self.again.remove(sequence)

    def give_back(self, sequence: int, due: float) -> None:
        """Have a message in hand delivered again at a time; nothing happens when it is not in hand."""
        if sequence in self.due:
            self.due[sequence] = due


@dataclass(slots=True)
class Stream:
    """A stream and its consumers."""

    spec: StreamSpec
    kept: dict[int, Message] = field(default_factory=dict)
    """Messages by sequence, oldest first."""
    by_subject: dict[str, dict[int, None]] = field(default_factory=dict)
    """Sequences of each subject, oldest first."""
    stored_at: dict[int, float] = field(default_factory=dict)
    last_sequence: int = 0
    consumers: dict[str, Consumer] = field(default_factory=dict)

    def add(self, subject: str, data: bytes, headers: Mapping[str, str], now: float) -> int:
        """Store a message and return its sequence."""
        self.last_sequence += 1
        self.kept[self.last_sequence] = Message(subject, data, self.last_sequence, dict(headers))
        self.by_subject.setdefault(subject, {})[self.last_sequence] = None
        self.stored_at[self.last_sequence] = now
        return self.last_sequence

    def expire(self, now: float) -> None:
        """Remove what is too old."""
        if self.spec.max_age_s is None:
            return
        for sequence in list(self.kept):
            if self.stored_at[sequence] > now - self.spec.max_age_s:
                return
            self.take_out(sequence)

    def take_out(self, sequence: int) -> Message | None:
        """Remove a message from the stream and from every consumer; None when it is gone."""
        message = self.kept.pop(sequence, None)
        if message is None:
            return None
        del self.stored_at[sequence]
        sequences = self.by_subject[message.subject]
        del sequences[sequence]
        if not sequences:
            del self.by_subject[message.subject]
        for consumer in self.consumers.values():
            consumer.drop(sequence)
        return message

    def last(self, subject: str) -> Message | None:
        """Return the last kept message of a subject."""
        sequences = self.by_subject.get(subject)
        return self.kept[next(reversed(sequences))] if sequences else None

    def under(self, filter: str, after: int = 0) -> Iterator[Message]:
        """Yield the kept messages under a filter with a greater sequence, oldest first."""
        for sequence in range(after + 1, self.last_sequence + 1):
            message = self.kept.get(sequence)
            if message and matches(filter, message.subject):
                yield message

    def ensure_consumer(self, spec: ConsumerSpec) -> Consumer:
        """Return a consumer, made or changed to a shape.

        Raises:
            InvalidInputError: the stream is a work queue, and another consumer's filter overlaps.
        """
        if self.spec.retention is Retention.WORK_QUEUE:
            for other in self.consumers.values():
                if other.spec.durable != spec.durable and overlap(other.spec.filter, spec.filter):
                    raise InvalidInputError(
                        f"the bus refuses the consumer {spec.durable} of the stream {spec.stream}: its filter "
                        f"{spec.filter} overlaps that of {other.spec.durable}, and a work queue delivers only once"
                    )
        consumer = self.consumers.setdefault(spec.durable, Consumer(spec))
        consumer.spec = spec
        return consumer

    def deliver(self, consumer: Consumer, now: float) -> tuple[Message, int] | None:
        """Return the next message for a consumer and how often it was delivered; None when there is none now."""
        for sequence in [each for each, due in consumer.due.items() if due <= now]:
            del consumer.due[sequence]
            consumer.again.append(sequence)
        if len(consumer.due) >= consumer.spec.max_ack_pending:
            return None
        following = consumer.again.popleft() if consumer.again else self._next_new(consumer)
        if following is None:
            return None
        consumer.deliveries[following] = consumer.deliveries.get(following, 0) + 1
        consumer.due[following] = now + consumer.spec.ack_wait_s
        return self.kept[following], consumer.deliveries[following]

    def settle(self, consumer: Consumer, sequence: int) -> None:
        """Take a message as done with."""
        if self.spec.retention is Retention.WORK_QUEUE:
            self.take_out(sequence)
        consumer.drop(sequence)

    def pending(self, consumer: Consumer) -> int:
        """Return how many messages are waiting for a consumer or in hand."""
        new = sum(
            sequence >= consumer.next_sequence and matches(consumer.spec.filter, message.subject)
            for sequence, message in self.kept.items()
        )
        return new + len(consumer.due) + len(consumer.again)

    def _next_new(self, consumer: Consumer) -> int | None:
        while consumer.next_sequence <= self.last_sequence:
            sequence = consumer.next_sequence
            consumer.next_sequence += 1
            message = self.kept.get(sequence)
            if message and matches(consumer.spec.filter, message.subject):
                return sequence
        return None


def advisory(kind: str, consumer: Consumer, sequence: int, deliveries: int) -> tuple[str, bytes]:
    """Return subject and payload of the server's word that it gave up a message.

    Args:
        kind: `MAX_DELIVERIES` or `MSG_TERMINATED`.
        consumer: Whose message it was.
        sequence: Of the message.
        deliveries: How often it was delivered.
    """
    spec = consumer.spec
    payload = {"stream": spec.stream, "consumer": spec.durable, "stream_seq": sequence, "deliveries": deliveries}
    return f"{ADVISORY}.{kind}.{spec.stream}.{spec.durable}", json.dumps(payload).encode()
