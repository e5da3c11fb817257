"""How likely a model finds a given text: log-probabilities of a prompt's own tokens, added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from bakeoff.domain.prompt import Usage
from bakeoff.models.refusals import UnsupportedError
from bakeoff.models.replies import Logprobs, Reply, TokenCounts


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The log-probability of a continuation, given its context."""

    logprob: float
    """Sum over the continuation's tokens, natural logarithm; ≤ 0."""
    tokens: int
    """Tokens that were added up; a first token without context has no probability and is not among them."""
    characters: int
    """Of the continuation."""
    utf8_bytes: int
    """Of the continuation in UTF-8."""
    tokens_in: int | None = None
    """Tokens of context and continuation, as the endpoint counts them; None is not known."""
    tokens_out: int | None = None
    """Tokens that it generated behind them for nothing."""
    tokens_cached: int | None = None
    """Of `tokens_in`, those that it had kept."""
    latency_ms: float | None = None
    """Of the request; None is not known."""

    @property
    def per_character(self) -> float:
        """The sum, divided by the characters; 0 for an empty continuation."""
        return self.logprob / self.characters if self.characters else 0.0

    @property
    def per_byte(self) -> float:
        """The sum, divided by the bytes; 0 for an empty continuation."""
        return self.logprob / self.utf8_bytes if self.utf8_bytes else 0.0

    @property
    def per_token(self) -> float:
        """The sum, divided by the tokens; 0 when there are none. Perplexity is exp of minus this."""
        return self.logprob / self.tokens if self.tokens else 0.0


@dataclass(frozen=True, slots=True)
class Weighing:
    """A text whose likelihood is asked for."""

    context: str
    """What stands before it; may be empty, and then its first token has no probability."""
    continuation: str
    """The text itself, with the space before it, if any."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A likelihood, and what it took."""

    likelihood: Likelihood
    usage: Usage


def likelihood_of(reply: Reply, context: str, continuation: str) -> Likelihood:
    """Return the likelihood of a continuation from a reply that repeats the prompt with its log-probabilities.

    A token that begins in the context and ends in the continuation counts as the continuation's: its probability
    depends on it. Tokens that the endpoint added behind the prompt count for nothing.

    Raises:
        UnsupportedError: the reply does not have them.
    """
    found = _logprobs(reply)
    tokens, logprobs = found.tokens or [], found.token_logprobs or []
    if not tokens or len(tokens) != len(logprobs):
        raise UnsupportedError("the endpoint returns no log-probabilities of the prompt's tokens")
    starts, stops = _spans(tokens, found.text_offset, context + continuation)
    begin, end = len(context), len(context) + len(continuation)
    inside = [n for n in range(len(tokens)) if (stops[n] > begin or starts[n] >= begin) and starts[n] < end]
    given = [value for n in inside if (value := logprobs[n]) is not None]
    missing = [n for n in inside if logprobs[n] is None and n > 0]
    if missing or (continuation and not inside):
        raise UnsupportedError("the endpoint returns no log-probability for some of the prompt's tokens")
    counts = reply.usage or TokenCounts()
    return Likelihood(
        sum(given),
        len(given),
        len(continuation),
        len(continuation.encode()),
        counts.prompt_tokens,
        counts.completion_tokens,
        counts.cached,
    )


def _logprobs(reply: Reply) -> Logprobs:
    if not reply.choices:
        raise UnsupportedError("the endpoint returns no log-probabilities")
    try:
        return msgspec.json.decode(reply.choices[0].logprobs, type=Logprobs | None) or Logprobs()
    except msgspec.ValidationError as error:
        raise UnsupportedError(f"the endpoint returns log-probabilities in another shape: {error}") from error


def _spans(tokens: Sequence[str], offsets: Sequence[int] | None, text: str) -> tuple[list[int], list[int]]:
    """Return where each token starts and stops in the text, in characters."""
    if "".join(tokens).startswith(text):
        starts, at = [], 0
        for token in tokens:
            starts.append(at)
            at += len(token)
        return starts, [*starts[1:], at]
    # Tokens that are parts of a character do not add up to the text; then the endpoint's own offsets say where.
    if offsets is None or len(offsets) != len(tokens) or list(offsets) != sorted(offsets) or offsets[0] != 0:
        raise UnsupportedError("the endpoint does not repeat the prompt's tokens, so that theirs cannot be told")
    return list(offsets), [*offsets[1:], max(len(text), offsets[-1] + 1)]
