"""What endpoints reply, read tolerantly where servers differ and strictly where an answer could be half of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import msgspec

from bakeoff.models.refusals import EndpointTroubleError

T = TypeVar("T")


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class TokenCounts(msgspec.Struct):
    """The `usage` of a reply; None is not known."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None
    prompt_cache_hit_tokens: int | None = None
    """How some endpoints tell the tokens that they had kept."""

    @property
    def cached(self) -> int | None:
        """Tokens of the prompt that the endpoint had kept."""
        told = self.prompt_tokens_details.cached_tokens if self.prompt_tokens_details else None
        return self.prompt_cache_hit_tokens if told is None else told


class Logprobs(msgspec.Struct):
    """Log-probabilities by token, of the completions interface."""

    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None
    text_offset: list[int] | None = None


class Utterance(msgspec.Struct):
    """A message, or the next piece of one."""

    content: str | None = None
    refusal: str | None = None


class Choice(msgspec.Struct):
    """One answer, or the next piece of one; `text` in the completions interface, the others in chat."""

    text: str | None = None
    message: Utterance | None = None
    delta: Utterance | None = None
    finish_reason: str | None = None
    # Chat endpoints have another shape here, which is not read.
    logprobs: msgspec.Raw = msgspec.Raw(b"null")
    index: int = 0

    @property
    def words(self) -> str:
        """What is said in this reply or piece; empty when nothing is."""
        if self.text is not None:
            return self.text
        said = self.message or self.delta
        return (said.content or said.refusal or "") if said else ""


class Reply(msgspec.Struct):
    """A whole reply, or one event of a streamed one."""

    choices: list[Choice] | None = None
    usage: TokenCounts | None = None
    error: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def is_error(self) -> bool:
        """Whether it is an error, whatever its status."""
        return bytes(self.error) != b"null"


class Vector(msgspec.Struct):
    """One vector of an embeddings reply."""

    embedding: list[float]
    index: int = 0


class Vectors(msgspec.Struct):
    """An embeddings reply."""

    data: list[Vector]
    usage: TokenCounts | None = None


class _Named(msgspec.Struct):
    id: str


class Models(msgspec.Struct):
    """The models that an endpoint lists."""

    data: list[_Named]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, and what is known of how it came."""

    text: str
    finish_reason: str
    counts: TokenCounts
    pieces: int = 0
    """Pieces with words in which it was streamed; 0 when it was not."""
    first_s: float | None = None
    """When the first words came, on the reader's clock; None when it was not streamed or says nothing."""
    last_s: float | None = None
    """When the last words came."""


def read(body: bytes, kind: type[T]) -> T:
    """Read a reply.

    Raises:
        EndpointTroubleError: it is not what was asked for, as after a connection that ended early.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise EndpointTroubleError(f"the endpoint's reply cannot be read: {error}") from error


def whole_answer(reply: Reply) -> Answer:
    """Return the answer of a reply that came in one piece.

    Raises:
        EndpointTroubleError: it has no answer, or does not say why it ends, so that it may be half of one.
    """
    if not reply.choices:
        raise EndpointTroubleError("the endpoint's reply has no answer")
    first = reply.choices[0]
    return Answer(first.words, finished(first.finish_reason), reply.usage or TokenCounts())


def finished(reason: str | None) -> str:
    """Return the reason why an answer ends.

    Raises:
        EndpointTroubleError: there is none, or it says that the endpoint failed.
    """
    if not reason:
        raise EndpointTroubleError("the endpoint's answer has no finish_reason: it may have been cut off")
    if reason == "error":
        raise EndpointTroubleError("the endpoint ended its answer with finish_reason 'error'")
    return reason
