"""Responses that are kept: stored the moment they arrive, under a key over everything that can change them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import msgspec

from bakeoff.contract import object_keys
from bakeoff.contract.stored import JSON, decode, encode
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.identity import sha256_hex
from bakeoff.domain.prompt import Prompt
from bakeoff.models.bodies import messages_of
from bakeoff.models.model_settings import Api, ModelSettings
from bakeoff.models.response_index import LONGEST_S, ResponseIndex
from bakeoff.runtime.async_objects import AsyncObjects, ObjectsInThreads
from bakeoff.runtime.objects import ObjectStore

T = TypeVar("T")
FORMAT = 1
"""Of what is stored; a part of the key, so that another one is never misread."""


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
    """Keeps responses as objects; whoever stores one first, theirs is used by all. Thread-safe."""

    def __init__(
        self,
        objects: ObjectStore,
        *,
        believed_s: float = LONGEST_S,
        way: Callable[[ObjectStore], AsyncObjects] = ObjectsInThreads,
    ) -> None:
        """Keep them in a store.

        Args:
            objects: The store.
            believed_s: Seconds for which a list of what is kept is believed, at most: less than it takes until the
                work of a process that was killed is given to another one.
            way: Makes the way to many of the store's objects at once, when it is first needed.
        """
        self._store, self._way = objects, way
        self._index = ResponseIndex(lambda prefix: self._objects.keys(prefix), believed_s)

    @cached_property
    def _objects(self) -> AsyncObjects:
        return self._way(self._store)  # when it is first needed: most processes ask no model

    @asynccontextmanager
    async def batch(self, lookups: int, scope: str = "") -> AsyncGenerator[None, None]:
        """Look what is there before a batch, when that is quicker than looking each response up.

        What others store afterwards is then found only by `keep`, which is what a batch asks for that begins when
        another one has ended.

        Args:
            lookups: Responses of the batch, about; 0 is not known.
            scope: On whose behalf, such as the id of an evaluation; see `ResponseIndex.begin`.

        Raises:
            OutOfReachError: the store does not answer.
        """
        await self._index.begin(lookups, scope)
        try:
            yield
        finally:
            self._index.end()

    async def find(self, asked: Asked, kind: type[T]) -> T | None:
        """Return the response that is kept; None when there is none.

        Raises:
            OutOfReachError: the store does not answer.
        """
        key = object_keys.response(asked.key)
        if self._index.knows(key) is False:
            return None
        try:
            found = decode(await self._objects.read_key(key), kind)
        except NotFoundError:
            return None
        self._index.add(key)
        return found

    async def keep(self, asked: Asked, response: T) -> T:
        """Store a response, and return the one that is kept: this one, or that of whoever was first.

        Raises:
            OutOfReachError: the store does not answer.
        """
        key = object_keys.response(asked.key)
        created = await self._objects.create(key, encode(response), media_type=JSON)
        self._index.add(key)
        return response if created.created else decode(await self._objects.read_key(key), type(response))

    def close(self) -> None:
        """Let go of what the store's ways need."""
        if "_objects" in self.__dict__:
            self._objects.close()
