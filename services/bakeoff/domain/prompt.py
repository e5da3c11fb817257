"""What is sent to a model, what comes back, and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bakeoff.domain.identity import digest_of


class Role(StrEnum):
    """Who speaks a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a dialogue."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything that a model is told for one answer. Exactly one of the two is used."""

    messages: tuple[Message, ...] = ()
    """A dialogue, for chat models; empty for a plain prompt."""
    text: str = ""
    """A plain prompt, for completion models; empty for a dialogue."""

    @property
    def digest(self) -> str:
        """SHA-256 of what is sent, 64 hexadecimal digits."""
        return digest_of(self)

    def after_system(self, system: str, *, chat: bool) -> Prompt:
        """Return the prompt with a system prompt before it.

        Args:
            system: What the model is told first; empty changes nothing.
            chat: Whether it goes to a chat model; else it becomes the first paragraph of one text.
        """
        if not system:
            return self
        if not chat:
            return Prompt(text=f"{system}\n\n{self.text}")
        said = self.messages or (Message(Role.USER, self.text),)
        return Prompt(messages=(Message(Role.SYSTEM, system), *said))


@dataclass(frozen=True, slots=True)
class Usage:
    """What one answer of a model took; None is not known."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    """Of `tokens_in`, those that the endpoint had kept."""
    cost: float | None = None
    """In the currency of the recipe's price table."""
    attempts: int = 1
    """Requests that it took, from 1; 0 when the answer was stored."""
    latency_ms: float | None = None
    """From the request to the last token."""
    first_token_ms: float | None = None
    """From the request to the first token; None when it was not streamed."""
    inter_token_ms: float | None = None
    """Mean time between tokens after the first; None when it was not streamed or has fewer than two."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said."""

    text: str
    finish_reason: str
    """As the endpoint says: `stop`, `length`, …"""
    usage: Usage
