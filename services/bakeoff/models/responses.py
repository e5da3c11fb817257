"""Responses that are kept: stored the moment they arrive, under a key over everything that can change them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from bakeoff.contract import object_keys
from bakeoff.contract.stored import JSON, decode, encode
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.prompt import Prompt
from bakeoff.models.bodies import messages_of
from bakeoff.models.model_settings import Api, ModelSettings
from bakeoff.runtime.objects import ObjectStore

T = TypeVar("T")
R = TypeVar("R")
FORMAT = 1
"""Of what is stored; a part of the key, so that another one is never misread."""
THREADS = 8
"""Objects that are read or written at once."""
LISTED_FOR_ONE = 10
"""Keys that can be listed in the time in which one object is looked up in vain; measured on S3."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything that can change a response. Has no secret."""

    endpoint: str
    model: str
    api: str
    prompt: str
    """Digest of what is sent as the prompt, 64 hexadecimal digits."""
    parameters: Mapping[str, object]
    seed: int | None
    sample: int
    """Number of the answer among those to the same prompt, from 0."""
    what: str = "answer"
    """`answer` or `likelihood`."""

    @classmethod
    def answer(cls, settings: ModelSettings, prompt: Prompt, seed: int | None, sample: int) -> Asked:
        """Return what is asked for an answer."""
        sent = messages_of(prompt) if settings.api is Api.CHAT else prompt.text
        parameters = dict(sorted(settings.parameters.items()))
        return cls(settings.base_url, settings.model, settings.api.value, _digest(sent), parameters, seed, sample)

    @classmethod
    def likelihood(cls, settings: ModelSettings, context: str, continuation: str) -> Asked:
        """Return what is asked for the likelihood of a continuation; no parameter changes it."""
        sent = _digest([context, continuation])
        return cls(settings.base_url, settings.model, Api.COMPLETIONS.value, sent, {}, None, 0, "likelihood")

    @property
    def key(self) -> str:
        """Digest over all of it, 64 hexadecimal digits."""
        return _digest([FORMAT, self])


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it is kept. Its cost is not: prices may change."""

    asked: Asked
    text: str
    finish_reason: str
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    latency_ms: float
    first_token_ms: float | None
    inter_token_ms: float | None


def _digest(value: object) -> str:
    """Return the SHA-256 of a value's one JSON text; many times as quick as that of `identity`, and asked for often."""
    return sha256_hex(msgspec.json.encode(value, order="deterministic"))


class ResponseStore:
    """Keeps responses as objects; whoever stores one first, theirs is used by all."""

    def __init__(self, objects: ObjectStore) -> None:
        """Keep them in a store."""
        self._objects = objects
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="responses")
        self._known: set[str] | None = None

    async def survey(self, lookups: int) -> None:
        """Look what is there before a batch, when that is quicker than looking each response up.

        What others store afterwards is then found only by `keep`, which is what a batch asks for that begins when
        another one has ended.

        Args:
            lookups: Responses of the batch, about; 0 ends the batch, after which each is looked up again.

        Raises:
            OutOfReachError: the store does not answer.
        """
        self._known = await self._run(lambda: self._listed(lookups)) if lookups else None

    async def find(self, asked: Asked, kind: type[T]) -> T | None:
        """Return the response that is kept; None when there is none.

        Raises:
            OutOfReachError: the store does not answer.
        """
        key = object_keys.response(asked.key)
        if self._known is not None and key not in self._known:
            return None
        return await self._run(lambda: self._find(key, kind))

    async def keep(self, asked: Asked, response: T) -> T:
        """Store a response, and return the one that is kept: this one, or that of whoever was first.

        Raises:
            OutOfReachError: the store does not answer.
        """
        key = object_keys.response(asked.key)
        kept = await self._run(lambda: self._keep(key, response))
        if self._known is not None:
            self._known.add(key)
        return kept

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=True)

    async def _run(self, work: Callable[[], R]) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _listed(self, lookups: int) -> set[str] | None:
        some = sum(1 for _ in self._objects.list(object_keys.response_prefix("00")))
        if some * 256 > lookups * LISTED_FOR_ONE:
            return None
        return {info.key for info in self._objects.list(object_keys.response_prefix())}

    def _find(self, key: str, kind: type[T]) -> T | None:
        try:
            return decode(self._objects.read_key(key), kind)
        except NotFoundError:
            return None

    def _keep(self, key: str, response: T) -> T:
        created = self._objects.create(key, encode(response), media_type=JSON)
        if created.created:
            return response
        return decode(self._objects.read(created.ref), type(response))
