"""Matching answers with what was asked, over one subscription."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Awaitable, Callable

from nats.aio.msg import Msg

NOBODY = "503"


class AnswerLostError(Exception):
    """The answer did not come: what was asked for may or may not have happened."""


class NobodyThereError(Exception):
    """Nobody listens on the subject: no such stream or consumer, or the server has not yet loaded it."""


class Answers:
    """Answers that are waited for."""

    def __init__(self, inbox: str = "_INBOX") -> None:
        """Wait for none yet.

        Args:
            inbox: Begin of the subject for answers.
        """
        self._prefix = f"{inbox}.{secrets.token_hex(11)}"
        self._tokens = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[Msg]] = {}

    @property
    def subject(self) -> str:
        """Filter under which the answers come."""
        return f"{self._prefix}.*"

    async def get(self, ask: Callable[[str], Awaitable[None]], timeout_s: float) -> Msg:
        """Return the answer to a question.

        Args:
            ask: Sends the question, given the subject for the answer.
            timeout_s: How long to wait.

        Raises:
            AnswerLostError: no answer came in time, or the connection went away.
            NobodyThereError: nobody listens where the question went.
        """
        loop = asyncio.get_running_loop()
        token = str(next(self._tokens))
        answer: asyncio.Future[Msg] = loop.create_future()
        self._waiting[token] = answer
        # Cheaper than asyncio.timeout, by half of what a whole request costs.
        timer = loop.call_later(timeout_s, _lose, answer)
        try:
            await ask(f"{self._prefix}.{token}")
            message = await answer
        finally:
            timer.cancel()
            del self._waiting[token]
        if is_nobody(message):
            raise NobodyThereError
        return message

    async def take(self, message: Msg) -> None:
        """Hand an answer to whoever waits for it."""
        answer = self._waiting.get(message.subject[len(self._prefix) + 1 :])
        if answer and not answer.done():
            answer.set_result(message)

    def lose(self) -> None:
        """Tell all who wait that no answer will come."""
        for answer in self._waiting.values():
            _lose(answer)


def is_nobody(message: Msg) -> bool:
    """Say whether a message is the server's word that nobody listens on the subject of the request."""
    return not message.data and (message.headers or {}).get("Status") == NOBODY


def _lose(answer: asyncio.Future[Msg]) -> None:
    if not answer.done():
        answer.set_exception(AnswerLostError())
