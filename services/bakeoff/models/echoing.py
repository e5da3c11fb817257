"""Having an endpoint repeat a prompt with the log-probabilities of its tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bakeoff.models.bodies import likelihood_body, path_of
from bakeoff.models.endpoint import Endpoint
from bakeoff.models.model_settings import Api, ModelSettings
from bakeoff.models.refusals import RefusedRequestError, UnknownModelError, UnsupportedError
from bakeoff.models.replies import Reply


@dataclass(frozen=True, slots=True)
class Echo:
    """A reply that repeats a prompt, if the endpoint can."""

    reply: Reply
    requests: int
    """That it took, from 1."""
    latency_ms: float
    """Of the one that succeeded."""


class Echoing:
    """Asks one endpoint to repeat prompts, in the way that it takes."""

    def __init__(self, settings: ModelSettings, endpoint: Endpoint) -> None:
        """Ask nothing yet."""
        self._settings = settings
        self._endpoint = endpoint
        self._new_tokens = 0
        """That it must be let generate before it repeats a prompt."""

    async def echo(self, text: str) -> Echo:
        """Return the endpoint's reply to a prompt that it is to repeat.

        Raises:
            UnsupportedError: it knows no such model under the interface `completions`.
            UnavailableError: it did not answer, however patiently it was asked.
            InvalidInputError: it refuses, and will do so again.
        """
        try:
            return await self._patient(text)
        except UnknownModelError as error:
            raise UnsupportedError(f"{error}; likelihoods need the interface 'completions'") from error

    async def _patient(self, text: str) -> Echo:
        try:
            return await self._once(text, self._new_tokens)
        except RefusedRequestError:  # as by those who insist on generating something
            if self._new_tokens:
                raise
            echo = await self._once(text, 1)
            self._new_tokens = 1
            return replace(echo, requests=echo.requests + 1)

    async def _once(self, text: str, new_tokens: int) -> Echo:
        body = likelihood_body(self._settings, text, new_tokens)
        (reply, latency_ms), requests = await self._endpoint.fetch_timed(path_of(Api.COMPLETIONS), body, Reply)
        return Echo(reply, requests, latency_ms)
