"""Asking a model from code that is not asynchronous, such as a handler or a notebook."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing

from bakeoff.domain.answer import Failure
from bakeoff.domain.prompt import Completion
from bakeoff.models.asking import ModelRequest
from bakeoff.models.model import Model

OnAnswer = Callable[[int, Completion | Failure], None]


def answer_all(model: Model, requests: Iterable[ModelRequest], on_answer: OnAnswer) -> None:
    """Ask everything, in an event loop of its own in the calling thread, and close the model.

    Args:
        model: Whom to ask.
        requests: What to ask; taken as there is room.
        on_answer: Is told the number of each request, from 0, and its answer or why it has none, as they come, in the
            calling thread. What it raises ends the asking and is raised.

    Raises:
        OutOfReachError: the store of responses does not answer.
        RuntimeError: the thread runs an event loop already; there, use `Model.ask_many`.
    """
    asyncio.run(_answer_all(model, requests, on_answer))


async def _answer_all(model: Model, requests: Iterable[ModelRequest], on_answer: OnAnswer) -> None:
    async with model, aclosing(model.ask_many(requests)) as outcomes:
        async for number, outcome in outcomes:
            on_answer(number, outcome)


def recall_all(model: Model, requests: Sequence[ModelRequest]) -> list[Completion | None]:
    """Return the stored answer to each request, None where there is none; nobody is asked.

    Raises:
        OutOfReachError: the store of responses does not answer.
        RuntimeError: the thread runs an event loop already; there, use `Model.recall`.
    """
    return asyncio.run(_recall_all(model, requests))


async def _recall_all(model: Model, requests: Sequence[ModelRequest]) -> list[Completion | None]:
    async with model:
        return await asyncio.gather(
            *(model.recall(each.prompt, seed=each.seed, sample=each.sample) for each in requests)
        )
