"""Embedder: a model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
import structlog

from bakeoff.domain.answer import Failure
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.identity import digest_of
from bakeoff.knowledge.asking_once import OnMade, asked_once
from bakeoff.knowledge.embedding import ASIDE, Embedder, TokenCounts, Vectors, normalise
from bakeoff.knowledge.question_usage import tell_questions
from bakeoff.knowledge.registries import embedders
from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model_settings import Bounds, ModelSettings
from bakeoff.models.pricing import Prices
from bakeoff.models.replies import Vectors as Reply
from bakeoff.runtime.registry import Is
from bakeoff.runtime.settings import Settings

log = structlog.get_logger()
FORMAT = 1
"""Of what is kept of a text; a part of the digest under which it is."""
MICRO = 1_000_000
"""Millionths of a currency in one: costs are counted in whole numbers."""
BESIDE = ("batch", "currency", "key", "most_at_once", "price_in", "query_prefix")
"""Settings that change no vector of a passage."""


@embedders.register("openai", facts={ASIDE: list(BESIDE), "libraries": ["numpy"]})
def openai(
    *,
    base_url: Annotated[str, Is("address of the endpoint, such as http://127.0.0.1:8080/v1")],
    model: Annotated[str, Is("name under which the endpoint knows the model")],
    dimension: Annotated[int, Is("numbers of a vector; another one is an error", minimum=1, maximum=65536)],
    key: Annotated[
        str, Is("name of the endpoint's key: the variable BAKEOFF_KEY_<NAME> holds it; empty for none")
    ] = "",
    query_prefix: Annotated[str, Is("set before a query, with the space between them if any")] = "",
    passage_prefix: Annotated[str, Is("set before a passage, with the space between them if any")] = "",
    batch: Annotated[int, Is("texts of a request", minimum=1, maximum=2048)] = 64,
    parameters: Annotated[dict[str, object] | None, Is("further parameters, sent as they are")] = None,
    price_in: Annotated[float | None, Is("price of a million tokens", minimum=0)] = None,
    currency: Annotated[str, Is("of the price")] = "USD",
    most_at_once: Annotated[int, Is("requests in flight over all workers", minimum=1)] = 32,
) -> Embedder:
    """Embed with a model behind an OpenAI-compatible endpoint.

    Vectors are scaled to length 1. Texts of like length go together. A batch that the endpoint refuses is halved until
    the text to blame is alone: a refused passage has a zero vector and is never found by vectors, which its document's
    remarks say; a refused question fails alone. A blank text has a zero vector and is not sent. Where objects are
    stored, each vector is kept, and no text is sent again to the same model with the same parameters.
    """
    prices = None if price_in is None else Prices(price_in, 0.0, currency=currency)
    settings = ModelSettings(
        base_url, model, parameters=parameters or {}, prices=prices, bounds=Bounds(most_at_once=most_at_once)
    )
    return OpenAiEmbedder(ModelChoice(settings, key), dimension, query_prefix, passage_prefix, batch)


@dataclass(frozen=True, slots=True)
class Spent:
    """What was asked of an endpoint; thread-safe."""

    prices: Prices | None
    counts: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, reply: Reply, requests: int) -> None:
        """Count a reply."""
        tokens = reply.usage.prompt_tokens if reply.usage else None
        cost = self.prices.cost(tokens, 0) if self.prices else None
        with self.lock:
            self.counts["embedding_requests"] += requests
            self.counts["embedding_tokens"] += tokens or 0
            self.counts["embedding_cost_micros"] += round((cost or 0.0) * MICRO)

    def find(self, texts: int) -> None:
        """Count texts whose vectors were there."""
        with self.lock:
            self.counts["embedding_found"] += texts

    def refuse(self, texts: int) -> None:
        """Count texts that were refused."""
        with self.lock:
            self.counts["embedding_refused"] += texts


@dataclass(frozen=True, slots=True)
class OpenAiEmbedder:
    """A model at an endpoint."""

    choice: ModelChoice
    dimension: int
    query_prefix: str
    passage_prefix: str
    batch: int
    models: ModelAccess | None = None
    """None opens models that need no key."""
    spending: Spent | None = None

    def with_models(self, models: ModelAccess) -> OpenAiEmbedder:
        """Return one that asks with a process's keys and limits, and counts what it takes."""
        return replace(self, models=models, spending=Spent(self.choice.settings.prices))

    def spent(self) -> dict[str, int]:
        """Return requests, tokens, cost in millionths, refused texts, and texts that were found; without zeros."""
        if self.spending is None:
            return {}
        with self.spending.lock:
            return {name: count for name, count in sorted(self.spending.counts.items()) if count}

    def cost(self, tokens: float) -> float | None:
        """Return what tokens cost, in the currency of the price; None when there is no price."""
        prices = self.choice.settings.prices
        return prices.tokens_in * tokens / MICRO if prices else None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a passage; a refused one has a zero vector.

        Raises:
            InvalidInputError, NotFoundError, UnavailableError: the endpoint embeds nothing at all.
        """
        return self.embed_counted(texts)[0]

    def embed_counted(self, texts: Sequence[str]) -> tuple[Vectors, TokenCounts]:
        """Return one vector a passage, and the tokens of each, also where they were paid earlier; else as `embed`."""
        made = self._embedded(texts, self.passage_prefix)
        if made.failures and self.spending:
            self.spending.refuse(len(made.failures))
        for number, failure in made.failures.items():
            log.warning("text was not embedded", text=texts[number][:80], reason=failure.reason)
        return made.vectors, made.tokens

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one vector a query, and tell what the questions took.

        Raises:
            InvalidInputError: the endpoint refuses one.
            NotFoundError, UnavailableError: it embeds nothing at all.
        """
        made = self._embedded(queries, self.query_prefix)
        places = {query: at for at, query in enumerate(queries) if query.strip() and at not in made.failures}
        asked = {query for query in places if self.query_prefix + query in made.asked}
        tell_questions(list(places), made.tokens[list(places.values())], asked, self.cost)
        for number, failure in made.failures.items():
            raise InvalidInputError(f"the query {queries[number][:80]!r} was not embedded: {failure.reason}")
        return made.vectors

    def _embedded(self, texts: Sequence[str], prefix: str) -> _Embedded:
        # By length, so that a batch takes the endpoint no longer than its texts need; equal ones in their order.
        said = sorted((at for at, text in enumerate(texts) if text.strip()), key=lambda at: len(texts[at]))
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        tokens = np.zeros(len(texts))
        failures: dict[int, Failure] = {}
        asked: set[str] = set()
        if not said:
            return _Embedded(vectors, tokens, failures, asked)
        access = self.models or ModelAccess(Settings())
        spending = self.spending or Spent(None)
        model = access.open_lasting(self.choice)

        def ask(missing: Sequence[str], on_made: OnMade) -> None:
            asked.update(missing)
            model.embed(missing, batch=self.batch, on_reply=spending.add, on_batch=on_made)

        kept = access.vectors.of(self._identity) if access.vectors else None
        made = asked_once([prefix + texts[at] for at in said], ask, kept)
        spending.find(made.found)
        for at in said:
            one = made.of(prefix + texts[at])
            if isinstance(one, Failure):
                failures[at] = one
            elif len(one.vector) != self.dimension:
                raise InvalidInputError(
                    f"the endpoint returns vectors of {len(one.vector)} numbers, but the recipe says "
                    f"dimension={self.dimension} for the model {self.choice.settings.model!r}"
                )
            else:
                vectors[at], tokens[at] = one.vector, one.tokens
        return _Embedded(normalise(vectors), tokens, failures, asked)

    @property
    def _identity(self) -> str:
        """Digest of everything that decides the vector of a text that is sent."""
        settings = self.choice.settings
        asked = {"endpoint": settings.base_url, "model": settings.model, "parameters": dict(settings.parameters)}
        return digest_of({"format": FORMAT, **asked})


@dataclass(frozen=True, slots=True)
class _Embedded:
    vectors: Vectors
    tokens: TokenCounts
    """Of each text, whoever paid."""
    failures: dict[int, Failure]
    """Why a text has no vector, by its place."""
    asked: Set[str]
    """What the endpoint was asked for now, as it was sent."""
