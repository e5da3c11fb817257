"""A model that can be asked: answers, many of them, likelihoods and vectors; what is stored is not asked again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Coroutine, Iterable, Sequence
from contextlib import aclosing
from operator import length_hint
from types import TracebackType
from typing import Any, TypeVar

from bakeoff.domain.answer import Failure
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.prompt import Completion, Prompt, Usage
from bakeoff.models.asking import ModelRequest, ask_all
from bakeoff.models.bodies import answer_body, embedding_body, likelihood_body, path_of
from bakeoff.models.checking import check_model
from bakeoff.models.embedding import Vector, embedded
from bakeoff.models.endpoint import Endpoint, Told
from bakeoff.models.likelihood import Likelihood, likelihood_of
from bakeoff.models.limiter import Limiter, LocalLimiter
from bakeoff.models.model_settings import Api, ModelSettings
from bakeoff.models.refusals import RefusedKeyError, RefusedRequestError, UnknownModelError, UnsupportedError
from bakeoff.models.replies import Reply, Vectors
from bakeoff.models.responses import Asked, ResponseStore, StoredAnswer
from bakeoff.models.secret import Secret
from bakeoff.models.transport import Transport

T = TypeVar("T")
EMBED_BATCH = 64
"""Texts per embeddings request; most endpoints take a few hundred."""
PROBE = ("The sun is", " hot")


class Model:
    """One model at one endpoint. Used from one event loop at a time; open nothing before, and close it after."""

    def __init__(
        self,
        settings: ModelSettings,
        *,
        key: Secret | None = None,
        limiter: Limiter | None = None,
        responses: ResponseStore | None = None,
    ) -> None:
        """Ask nothing yet.

        Args:
            settings: Which model, where, and how it is asked.
            key: None when the endpoint needs none.
            limiter: Shared with others who ask the endpoint; None adapts to what this model alone meets.
            responses: Where responses are kept; None keeps none.
        """
        self.settings = settings
        self._responses = responses
        self._transport = Transport(settings, key)
        self._limiter = limiter or LocalLimiter(settings.bounds)
        self._endpoint = Endpoint(settings, self._transport, self._limiter)
        self._hopeless: BakeoffError | None = None

    async def __aenter__(self) -> Model:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close connections and give back the share of the limiter; may be used again afterwards."""
        self._hopeless = None
        await self._transport.close()
        await self._limiter.close()

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
        told = await self._hoping(self._endpoint.answer(path_of(self.settings.api), body))
        answer = _stored(asked, told)
        if self._responses:
            answer = await self._responses.keep(asked, answer)
        return self._completion(answer, attempts=told.requests)

    async def ask_many(
        self, requests: Iterable[ModelRequest]
    ) -> AsyncGenerator[tuple[int, Completion | Failure], None]:
        """Yield the number of each request, from 0, and its answer or why it has none, as they come.

        Raises:
            OutOfReachError: the store of responses does not answer.
        """
        if self._responses:
            await self._responses.survey(length_hint(requests))
        try:
            async with aclosing(ask_all(self.ask, requests, at_once=self.settings.bounds.most_at_once)) as outcomes:
                async for outcome in outcomes:
                    yield outcome
        finally:
            if self._responses:
                await self._responses.survey(0)

    async def likelihood(self, context: str, continuation: str) -> Likelihood:
        """Return how likely the model finds a continuation of a text.

        Args:
            context: May be empty; then the first token has no probability and is left out.
            continuation: Behind it, with the space between them, if any.

        Raises:
            UnsupportedError: the endpoint returns no log-probabilities of a prompt's tokens.
            InvalidInputError, NotFoundError, UnavailableError, OutOfReachError: as `ask`.
        """
        asked = Asked.likelihood(self.settings, context, continuation)
        found = await self._responses.find(asked, Likelihood) if self._responses else None
        if found:
            return found
        likelihood = likelihood_of(await self._hoping(self._echoed(context + continuation)), context, continuation)
        return await self._responses.keep(asked, likelihood) if self._responses else likelihood

    async def supports_likelihood(self) -> bool:
        """Say whether the endpoint returns log-probabilities of a prompt's tokens, by asking for some.

        Raises:
            RefusedKeyError, NotFoundError, UnavailableError: nothing can be said.
        """
        try:
            likelihood_of(await self._hoping(self._echoed("".join(PROBE))), *PROBE)
        except (UnsupportedError, RefusedRequestError):
            return False
        return True

    async def embed(self, texts: Sequence[str]) -> list[Vector | Failure]:
        """Return the vector of each text, or why it has none, in the texts' order.

        Raises:
            InvalidInputError, NotFoundError, UnavailableError: no text has one; as `ask`.
        """
        found: list[Vector | Failure] = []
        for start in range(0, len(texts), EMBED_BATCH):
            found += await embedded(texts[start : start + EMBED_BATCH], self._embed)
        return found

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        body = embedding_body(self.settings, texts)
        vectors, _ = await self._hoping(self._endpoint.fetch("/embeddings", body, Vectors))
        return vectors

    async def _echoed(self, text: str) -> Reply:
        try:
            try:
                return await self._echo(text, 0)
            except RefusedRequestError:  # as by those who insist on generating something
                return await self._echo(text, 1)
        except UnknownModelError as error:
            raise UnsupportedError(f"{error}; likelihoods need the interface 'completions'") from error

    async def _echo(self, text: str, new_tokens: int) -> Reply:
        body = likelihood_body(self.settings, text, new_tokens)
        reply, _ = await self._endpoint.fetch(path_of(Api.COMPLETIONS), body, Reply)
        return reply

    async def _hoping(self, call: Coroutine[Any, Any, T]) -> T:
        """Make a call, unless an earlier one has shown that none can succeed."""
        if self._hopeless:
            call.close()
            raise self._hopeless
        try:
            return await call
        except (RefusedKeyError, UnknownModelError) as error:
            self._hopeless = error
            raise

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
