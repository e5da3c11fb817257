"""Calls that last: each waits for its turn, is made again while that makes sense, and is timed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.models.bodies import Body, Streaming, streamed
from bakeoff.models.limiter import Limiter, Outcome
from bakeoff.models.model_settings import ModelSettings
from bakeoff.models.refusals import (
    EndpointTroubleError,
    RateLimitedError,
    RefusedRequestError,
    SilentEndpointError,
    UnreachedEndpointError,
)
from bakeoff.models.replies import Answer, read
from bakeoff.models.retrying import persist
from bakeoff.models.transport import Transport

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Told:
    """An answer with its times."""

    answer: Answer
    requests: int
    """That it took, from 1."""
    latency_ms: float
    """Of the request that succeeded, to the last byte."""
    first_token_ms: float | None
    """None when it was not streamed, or says nothing."""
    inter_token_ms: float | None
    """Mean time between tokens after the first; None when that cannot be told."""


class Endpoint:
    """One endpoint, asked with patience and within its limits."""

    def __init__(
        self, settings: ModelSettings, transport: Transport, limiter: Limiter, heard: Callable[[], None] = lambda: None
    ) -> None:
        """Ask nothing yet.

        Args:
            settings: How it is asked.
            transport: Makes the requests.
            limiter: Gives leave to make them.
            heard: Told of every reply that does not say that no request can succeed, refusals for now among them.
        """
        self._settings = settings
        self._transport = transport
        self._limiter = limiter
        self._heard = heard
        self._streaming = Streaming.WITH_USAGE if settings.stream else Streaming.OFF

    async def answer(self, path: str, body: Body) -> Told:
        """Return the answer to a request.

        Raises:
            UnavailableError: the endpoint did not answer, however patiently it was asked.
            InvalidInputError, NotFoundError: it refuses, and will do so again.
        """
        (answer, began_s, ended_s), requests = await self._persist(lambda: self._answer(path, body))
        return _told(answer, requests, began_s, ended_s)

    async def fetch(self, path: str, body: Body, kind: type[T]) -> tuple[T, int]:
        """Return the reply to a request, and the requests that it took.

        Raises:
            UnavailableError: the endpoint did not answer, however patiently it was asked.
            InvalidInputError, NotFoundError: it refuses, and will do so again.
        """
        (reply, _), requests = await self.fetch_timed(path, body, kind)
        return reply, requests

    async def fetch_timed(self, path: str, body: Body, kind: type[T]) -> tuple[tuple[T, float], int]:
        """Return the reply to a request with the milliseconds of the one that succeeded, and the requests that it took.

        Raises:
            UnavailableError: the endpoint did not answer, however patiently it was asked.
            InvalidInputError, NotFoundError: it refuses, and will do so again.
        """
        clock = asyncio.get_running_loop().time

        async def fetched() -> tuple[T, float]:
            began_s = clock()
            data = await self._transport.fetch(path, body)
            return read(data, kind), (clock() - began_s) * 1000

        return await self._persist(fetched)

    async def _persist(self, call: Callable[[], Awaitable[T]]) -> tuple[T, int]:
        return await persist(lambda: self._in_turn(call), self._settings.patience)

    async def _in_turn(self, call: Callable[[], Awaitable[T]]) -> T:
        turn = await self._limiter.enter()
        outcome = Outcome.FAILED
        try:
            result = await call()
            outcome = Outcome.ANSWERED
            self._heard()
        except (RateLimitedError, EndpointTroubleError) as error:
            if not isinstance(error, UnreachedEndpointError):
                self._heard()
            if isinstance(error, RateLimitedError | SilentEndpointError):
                outcome = Outcome.REFUSED
            raise
        except (InvalidInputError, NotFoundError):
            outcome = Outcome.ANSWERED
            raise
        finally:
            self._limiter.leave(turn, outcome)
        return result

    async def _answer(self, path: str, body: Body) -> tuple[Answer, float, float]:
        clock = asyncio.get_running_loop().time
        while True:
            asked = self._streaming
            began_s = clock()
            try:
                answer = await self._transport.answer(path, streamed(body, asked))
            except RefusedRequestError as error:
                # Endpoints that do not know streaming, or its options, say so in words only.
                if asked is Streaming.OFF or "stream" not in error.said.lower():
                    raise
                if self._streaming is asked:
                    self._streaming = asked.lesser
                continue
            return answer, began_s, clock()


def _told(answer: Answer, requests: int, began_s: float, ended_s: float) -> Told:
    if answer.first_s is None or answer.last_s is None:
        return Told(answer, requests, (ended_s - began_s) * 1000, None, None)
    # Endpoints may put several tokens into a piece: the count of tokens is the better one where it is told.
    tokens = max(answer.counts.completion_tokens or 0, answer.pieces)
    apart = (answer.last_s - answer.first_s) / (tokens - 1) * 1000 if answer.pieces > 1 else None
    return Told(answer, requests, (ended_s - began_s) * 1000, (answer.first_s - began_s) * 1000, apart)
