"""Requests over HTTP, one at a time: the only module that knows the HTTP client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

import aiohttp
import msgspec

from bakeoff.domain.errors import BakeoffError
from bakeoff.models.bodies import Body
from bakeoff.models.model_settings import ModelSettings
from bakeoff.models.public_hosts import check_model_host, connector_options
from bakeoff.models.refusals import (
    EndpointTroubleError,
    Said,
    SilentEndpointError,
    UnreachedEndpointError,
    error_for,
    http_date,
    retry_after_s,
    status_within,
)
from bakeoff.models.replies import Answer, Reply, read, whole_answer
from bakeoff.models.secret import Secret
from bakeoff.models.streaming import Events, StreamedAnswer

JSON = {"Content-Type": "application/json"}
LARGEST_ERROR = 1 << 16
"""Bytes of an error's body that are read."""
IDLE_S = 30.0
"""Seconds for which a connection that is not used stays open."""


class Transport:
    """Speaks to one endpoint from one event loop at a time."""

    def __init__(self, settings: ModelSettings, key: Secret | None, *, allow_private: bool = True) -> None:
        """Open nothing yet.

        Args:
            settings: Where the endpoint is, and how long a request may take.
            key: None when it needs none.
            allow_private: Whether the endpoint may be inside a private network.
        """
        self._settings = settings
        self._allow_private = allow_private
        self._key = key
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close all connections; the next request opens new ones, in its own event loop."""
        session, self._session = self._session, None
        if session:
            await session.close()

    async def fetch(self, path: str, body: Body | None = None) -> bytes:
        """Return the body of a reply.

        Args:
            path: Behind the endpoint's address, from `/`.
            body: What is posted; None gets.

        Raises:
            RateLimitedError: 429.
            EndpointTroubleError: it failed, is not there, or broke off.
            InvalidInputError, NotFoundError: it refuses, and will do so again.
        """
        async with self._reply(path, body) as response:
            return await response.read()

    async def answer(self, path: str, body: Body) -> Answer:
        """Return the answer of a reply, streamed or whole, as the endpoint likes.

        The times of its words are those of the running event loop.

        Raises:
            RateLimitedError: 429.
            EndpointTroubleError: it failed, is not there, or the answer is not whole.
            InvalidInputError, NotFoundError: it refuses, and will do so again.
        """
        async with self._reply(path, body) as response:
            # Some servers stream under another name, but none sends events as JSON.
            if body.get("stream") and response.content_type != "application/json":
                answer = await self._streamed(path, response)
            else:
                answer = self._whole(path, await response.read())
        return replace(answer, text=self._key.scrub(answer.text)) if self._key else answer

    def _whole(self, path: str, body: bytes) -> Answer:
        reply = read(body, Reply)
        if reply.is_error:
            raise self._error(path, status_within(body), body)
        return whole_answer(reply)

    async def _streamed(self, path: str, response: aiohttp.ClientResponse) -> Answer:
        events, streamed, time = Events(), StreamedAnswer(), asyncio.get_running_loop().time
        async for chunk in response.content.iter_any():
            now_s = time()
            for data in events.feed(chunk):
                streamed.take(data, now_s)
        for data in events.end():
            streamed.take(data, time())
        if streamed.failed is not None:
            raise self._error(path, status_within(streamed.failed), streamed.failed)
        return streamed.answer()

    @asynccontextmanager
    async def _reply(self, path: str, body: Body | None) -> AsyncIterator[aiohttp.ClientResponse]:
        place = self._settings.base_url + path
        if not self._allow_private:
            check_model_host(place)
        data = None if body is None else msgspec.json.encode(body)
        try:
            # Not followed: the key must not travel to where a redirect points.
            request = self._open().request(
                "GET" if data is None else "POST", place, data=data, headers=JSON, allow_redirects=False
            )
            async with request as response:
                if response.status != 200:
                    found = await response.content.read(LARGEST_ERROR)
                    raise self._error(path, response.status, found, response)
                yield response
        except TimeoutError as error:
            raise SilentEndpointError(f"{place} did not answer in time") from error
        except aiohttp.ClientConnectorError as error:
            raise UnreachedEndpointError(f"{place} cannot be reached: {error.os_error.strerror or error}") from error
        except aiohttp.ClientError as error:
            raise EndpointTroubleError(f"{place} ended the connection early: {type(error).__name__}") from error

    def _error(
        self, path: str, status: int, body: bytes, response: aiohttp.ClientResponse | None = None
    ) -> BakeoffError:
        said = Said.of(body)
        if self._key:
            said = Said(self._key.scrub(said.message), self._key.scrub(said.code))
        headers = response.headers if response is not None else {}
        rest_s = retry_after_s(
            headers.get("Retry-After"),
            http_date(headers.get("Date")) or datetime.now(UTC),
            headers.get("Retry-After-Ms"),
        )
        return error_for(
            status,
            said,
            place=self._settings.base_url + path,
            model=self._settings.model,
            key=self._key.place if self._key else "",
            retry_after_s=rest_s,
        )

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            timeouts = self._settings.timeouts
            self._session = aiohttp.ClientSession(
                # How many are at once is the limiter's to say.
                connector=aiohttp.TCPConnector(
                    limit=0, keepalive_timeout=IDLE_S, **connector_options(allow_private=self._allow_private)
                ),
                timeout=aiohttp.ClientTimeout(
                    total=timeouts.total_s, sock_connect=timeouts.connect_s, sock_read=timeouts.silence_s
                ),
                headers=self._key.header() if self._key else None,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session
