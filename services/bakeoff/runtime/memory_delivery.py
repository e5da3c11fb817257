"""A message of the bus in memory, in hand."""

from __future__ import annotations

from typing import Protocol

from bakeoff.runtime.bus import Message
from bakeoff.runtime.memory_streams import Consumer, Stream


class Keeper(Protocol):
    """What a delivery needs of its bus. Every method raises OutOfReachError when that is away."""

    def settle(self, stream: Stream, consumer: Consumer, sequence: int) -> None:
        """Take a message as done with."""

    def give_back(self, consumer: Consumer, sequence: int, delay_s: float) -> None:
        """Have a message in hand delivered again after a delay."""

    def advise(self, kind: str, consumer: Consumer, sequence: int, deliveries: int) -> None:
        """Store the word that a message was given up."""


class MemoryDelivery:
    """A message in hand."""

    def __init__(self, bus: Keeper, stream: Stream, consumer: Consumer, message: Message, deliveries: int) -> None:
        """Take what was delivered."""
        self._bus = bus
        self._stream = stream
        self._consumer = consumer
        self._settled = False
        self.message = message
        self.deliveries = deliveries

    async def ack(self) -> None:
        """Acknowledge. A second acknowledgement does no harm."""
        if not self._settled:
            self._bus.settle(self._stream, self._consumer, self.message.sequence)
            self._settled = True

    async def nak(self, delay_s: float = 0.0) -> None:
        """Give it back, to be delivered again after a delay."""
        if not self._settled:
            self._bus.give_back(self._consumer, self.message.sequence, delay_s)
            self._settled = True

    async def term(self) -> None:
        """Give it up: it is never delivered again."""
        if not self._settled:
            self._bus.settle(self._stream, self._consumer, self.message.sequence)
            self._bus.advise("MSG_TERMINATED", self._consumer, self.message.sequence, self.deliveries)
            self._settled = True

    async def in_progress(self) -> None:
        """Say that the work goes on; starts the ack wait anew."""
        if not self._settled:
            self._bus.give_back(self._consumer, self.message.sequence, self._consumer.spec.ack_wait_s)
