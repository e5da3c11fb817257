"""Many questions at once: each ends with an answer or a failure of its own, in the order in which they end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from dataclasses import dataclass
from operator import length_hint
from typing import Protocol

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import CancelledItemError, OutOfReachError
from bakeoff.domain.failing import failure_of
from bakeoff.domain.prompt import Completion, Prompt

Outcome = tuple[int, Completion | Failure]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One thing to ask."""

    prompt: Prompt
    seed: int | None = None
    sample: int = 0
    """Number of the answer among those to the same prompt, from 0."""


class Ask(Protocol):
    """Asks one thing."""

    async def __call__(self, prompt: Prompt, *, seed: int | None, sample: int) -> Completion:
        """Return the answer."""


async def ask_all(ask: Ask, requests: Iterable[ModelRequest], *, at_once: int) -> AsyncGenerator[Outcome, None]:
    """Yield the number of each request, from 0, and its answer or why it has none, as they come.

    Args:
        ask: Asks one.
        requests: Taken one by one, as there is room: there may be more than fit into memory.
        at_once: Requests that are begun and not ended, from 1; those that wait for their turn among them.

    Raises:
        OutOfReachError: a part of the platform does not answer; no matter of a request.
        CancelledItemError: the evaluation was cancelled.
    """
    numbered, known = enumerate(requests), length_hint(requests)
    ended: asyncio.Queue[Outcome | BaseException | None] = asyncio.Queue()
    # As many as there are requests, where that is known: there may be far fewer than may be at once.
    workers = [asyncio.create_task(_work(ask, numbered, ended)) for _ in range(min(at_once, known or at_once))]
    try:
        left = len(workers)
        while left:
            outcome = await ended.get()
            if outcome is None:
                left -= 1
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                yield outcome
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def _work(
    ask: Ask, numbered: Iterator[tuple[int, ModelRequest]], ended: asyncio.Queue[Outcome | BaseException | None]
) -> None:
    try:
        for number, request in numbered:
            await ended.put((number, await _outcome(ask, request)))
        await ended.put(None)
    except Exception as error:  # told to whoever waits for the outcomes
        await ended.put(error)


async def _outcome(ask: Ask, request: ModelRequest) -> Completion | Failure:
    try:
        return await ask(request.prompt, seed=request.seed, sample=request.sample)
    except (OutOfReachError, CancelledItemError):
        raise
    except Exception as error:  # whatever it raises fails this request, and no other
        return failure_of(error, FailureKind.MODEL)
