"""A model that can be asked: answers, many of them, likelihoods and vectors; what is stored is not asked again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import cached_property
from operator import length_hint
from types import TracebackType

from bakeoff.contract.stored import encode
from bakeoff.domain.answer import Failure
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.prompt import Completion, Prompt, Usage
from bakeoff.models.asking import ModelRequest, ask_all
from bakeoff.models.bodies import answer_body, embedding_body, path_of
from bakeoff.models.checking import check_model
from bakeoff.models.echoing import Echoing
from bakeoff.models.embedding import Vector, embedded
from bakeoff.models.endpoint import Endpoint, Told
from bakeoff.models.hope import Hope
from bakeoff.models.likelihood import Likelihood, Weighed, Weighing, likelihood_of
from bakeoff.models.limiter import Limiter, LocalLimiter
from bakeoff.models.model_settings import ModelSettings
from bakeoff.models.refusals import (
    RefusedRequestError,
    UnsupportedError,
)
from bakeoff.models.replies import Vectors
from bakeoff.models.responses import Asked, ResponseStore, StoredAnswer
from bakeoff.models.secret import Secret
from bakeoff.models.telling import asking, tell
from bakeoff.models.transport import Transport

EMBED_BATCH = 64
"""Texts per embeddings request; most endpoints take a few hundred."""
PROBE = ("The sun is", " hot")
OnVectors = Callable[[Vectors, int], None]
"""Is told a reply with vectors, and the requests that it took."""
OnBatch = Callable[[Sequence[str], Sequence[Vector | Failure], int | None], None]
"""Is told texts that went together, the vector of each or why it has none, and their tokens; None is not known."""


class Model:
    """One model at one endpoint. Used from one event loop at a time; open nothing before, and close it after."""

    def __init__(
        self,
        settings: ModelSettings,
        *,
        key: Secret | None = None,
        limiter: Limiter | None = None,
        responses: ResponseStore | None = None,
        allow_private: bool = True,
    ) -> None:
        """Ask nothing yet.

        Args:
            settings: Which model, where, and how it is asked.
            key: None when the endpoint needs none.
            limiter: Shared with others who ask the endpoint; None adapts to what this model alone meets.
            responses: Where responses are kept; None keeps none.
            allow_private: Whether the endpoint may be inside a private network.
        """
        self.settings = settings
        self._key = key
        self._responses = responses
        self._transport = Transport(settings, key, allow_private=allow_private)
        self._limiter = limiter or LocalLimiter(settings.bounds)
        self._hope = Hope()
        self._endpoint = Endpoint(settings, self._transport, self._limiter, self._hope.heard)
        self._echoing = Echoing(settings, self._endpoint)
        self._unkept = asyncio.Semaphore(settings.bounds.most_at_once)
        """Bounds what a killed process may have asked without having kept the answer: the store is waited for, too."""

    async def __aenter__(self) -> Model:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @cached_property
    def identity(self) -> str:
        """Digest of everything that it is asked with, its key too: of two that agree in it, one does for both."""
        return sha256_hex(encode((self.settings, self._key.header() if self._key else {})))

    @property
    def hopeless(self) -> bool:
        """Whether an answer has shown that no other can succeed, until it is closed."""
        return self._hope.lost is not None

    async def close(self) -> None:
        """Close connections and give back the share of the limiter; may be used again afterwards."""
        self._hope.renew()
        await self._transport.close()
        await self._limiter.close()
        self._unkept = asyncio.Semaphore(self.settings.bounds.most_at_once)  # it belongs to one event loop

    async def check(self) -> None:
        """Prove, as far as the endpoint tells, that it can be reached, takes the key, and has the model.

        Raises:
            UnavailableError: it does not answer.
            RefusedKeyError: it does not accept the key.
            UnknownModelError: it lists its models, and this is none of them; the message has them.
        """
        await check_model(self.settings, self._transport)

    async def ask(self, prompt: Prompt, *, seed: int | None = None, sample: int = 0) -> Completion:
        """Return the model's answer to a prompt: the stored one, or a new one, which is stored before it is returned.

        Args:
            prompt: What it is told.
            seed: Sent along; None sends none.
            sample: Number of the answer among those to the same prompt, from 0.

        Raises:
            InvalidInputError: the prompt cannot be asked, the endpoint refuses it, or does not accept the key.
            NotFoundError: the endpoint does not know the model.
            UnavailableError: the endpoint did not answer, however patiently it was asked.
            OutOfReachError: the store of responses does not answer.
        """
        body = answer_body(self.settings, prompt, seed)
        asked = Asked.answer(self.settings, prompt, seed, sample)
        found = await self._responses.find(asked, StoredAnswer) if self._responses else None
        if found:
            return self._completion(found, attempts=0)
        async with self._unkept:
            with asking(self.settings):
                told = await self._hope.make(self._endpoint.answer(path_of(self.settings.api), body))
            answer = _stored(asked, told)
            if self._responses:
                answer = await self._responses.keep(asked, answer)
        return self._completion(answer, attempts=told.requests)

    async def recall(self, prompt: Prompt, *, seed: int | None = None, sample: int = 0) -> Completion | None:
        """Return the stored answer to what `ask` would ask; None when there is none, and nobody is asked.

        Raises:
            OutOfReachError: the store of responses does not answer.
        """
        if not self._responses:
            return None
        found = await self._responses.find(Asked.answer(self.settings, prompt, seed, sample), StoredAnswer)
        return self._completion(found, attempts=0) if found else None

    async def ask_many(
        self, requests: Iterable[ModelRequest], *, scope: str = ""
    ) -> AsyncGenerator[tuple[int, Completion | Failure], None]:
        """Yield the number of each request, from 0, and its answer or why it has none, as they come.

        Args:
            requests: Taken as there is room.
            scope: On whose behalf; see `batch`.

        Raises:
            OutOfReachError: the store of responses does not answer.
        """
        async with (
            self.batch(length_hint(requests), scope),
            aclosing(ask_all(self.ask, requests, at_once=self.settings.bounds.most_at_once)) as outcomes,
        ):
            async for outcome in outcomes:
                yield outcome

    async def likelihood(self, context: str, continuation: str) -> Likelihood:
        """Return how likely the model finds a continuation of a text.

        Args:
            context: May be empty; then the first token has no probability and is left out.
            continuation: Behind it, with the space between them, if any.

        Raises:
            UnsupportedError: the endpoint returns no log-probabilities of a prompt's tokens.
            InvalidInputError, NotFoundError, UnavailableError, OutOfReachError: as `ask`.
        """
        return (await self.weigh(Weighing(context, continuation))).likelihood

    async def weigh(self, text: Weighing) -> Weighed:
        """Return how likely the model finds a text, and what that took; it is kept and found as answers are.

        Raises:
            UnsupportedError: the endpoint returns no log-probabilities of a prompt's tokens.
            InvalidInputError, NotFoundError, UnavailableError, OutOfReachError: as `ask`.
        """
        asked = Asked.likelihood(self.settings, text.context, text.continuation)
        found = await self._responses.find(asked, Likelihood) if self._responses else None
        if found:
            return self._weighed(found, attempts=0)
        with asking(self.settings):
            echo = await self._hope.make(self._echoing.echo(text.context + text.continuation))
        likelihood = replace(likelihood_of(echo.reply, text.context, text.continuation), latency_ms=echo.latency_ms)
        if self._responses:
            likelihood = await self._responses.keep(asked, likelihood)
        return self._weighed(likelihood, attempts=echo.requests)

    @asynccontextmanager
    async def batch(self, lookups: int, scope: str = "") -> AsyncGenerator[None, None]:
        """Look many responses up at once; see `ResponseStore.batch`.

        Args:
            lookups: Responses that will be looked up, about; 0 is not known.
            scope: On whose behalf, such as the id of an evaluation: its batches share what the first has looked up.

        Raises:
            OutOfReachError: the store of responses does not answer.
        """
        if self._responses is None:
            yield
            return
        async with self._responses.batch(lookups, scope):
            yield

    async def supports_likelihood(self) -> bool:
        """Say whether the endpoint returns log-probabilities of a prompt's tokens, by asking for some.

        Raises:
            RefusedKeyError, NotFoundError, UnavailableError: nothing can be said.
        """
        try:
            likelihood_of((await self._hope.make(self._echoing.echo("".join(PROBE)))).reply, *PROBE)
        except (UnsupportedError, RefusedRequestError):
            return False
        return True

    async def embed(
        self,
        texts: Sequence[str],
        *,
        batch: int = EMBED_BATCH,
        on_reply: OnVectors = lambda vectors, requests: None,
        on_batch: OnBatch = lambda texts, found, tokens: None,
    ) -> list[Vector | Failure]:
        """Return the vector of each text, or why it has none, in the texts' order.

        Args:
            texts: None of them empty, which endpoints refuse.
            batch: Texts a request, from 1.
            on_reply: Is told each reply, which has its usage, and the requests that it took.
            on_batch: Is told each batch when all of it is there.

        Raises:
            InvalidInputError, NotFoundError, UnavailableError: no text has one; as `ask`.
        """

        async def embed(part: Sequence[str], counts: list[int | None]) -> Vectors:
            body = embedding_body(self.settings, part)
            with asking(self.settings):
                vectors, requests = await self._hope.make(self._endpoint.fetch("/embeddings", body, Vectors))
            tokens = vectors.usage.prompt_tokens if vectors.usage else None
            tell(self.settings, Usage(tokens_in=tokens, attempts=requests))
            on_reply(vectors, requests)
            counts.append(tokens)
            return vectors

        async def whole(part: Sequence[str]) -> list[Vector | Failure]:
            counts: list[int | None] = []
            found = await embedded(part, lambda some: embed(some, counts))
            known = [tokens for tokens in counts if tokens is not None]
            on_batch(part, found, sum(known) if len(known) == len(counts) else None)
            return found

        parts = [texts[start : start + batch] for start in range(0, len(texts), batch)]
        tasks = [asyncio.ensure_future(whole(part)) for part in parts]
        try:
            found = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        return [each for part in found for each in part]

    def _weighed(self, likelihood: Likelihood, *, attempts: int) -> Weighed:
        counts = (likelihood.tokens_in, likelihood.tokens_out, likelihood.tokens_cached)
        prices = self.settings.prices
        cost = prices.cost(*counts) if prices else None
        usage = Usage(*counts, cost, attempts, likelihood.latency_ms)
        tell(self.settings, usage)
        return Weighed(likelihood, usage)

    def _completion(self, answer: StoredAnswer, *, attempts: int) -> Completion:
        prices = self.settings.prices
        usage = Usage(
            answer.tokens_in,
            answer.tokens_out,
            answer.tokens_cached,
            prices.cost(answer.tokens_in, answer.tokens_out, answer.tokens_cached) if prices else None,
            attempts,
            answer.latency_ms,
            answer.first_token_ms,
            answer.inter_token_ms,
        )
        tell(self.settings, usage)
        return Completion(answer.text, answer.finish_reason, usage)


def _stored(asked: Asked, told: Told) -> StoredAnswer:
    counts = told.answer.counts
    return StoredAnswer(
        asked,
        told.answer.text,
        told.answer.finish_reason,
        counts.prompt_tokens,
        counts.completion_tokens,
        counts.cached,
        told.latency_ms,
        told.first_token_ms,
        told.inter_token_ms,
    )
