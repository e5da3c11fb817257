"""Asking for many likelihoods at once, or finding out that the endpoint gives none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import CancelledItemError, OutOfReachError
from bakeoff.domain.failing import failure_of, one_line
from bakeoff.models.likelihood import Weighed, Weighing
from bakeoff.models.model import Model
from bakeoff.models.refusals import RefusedRequestError, UnsupportedError

OnWeighed = Callable[[int, Weighed | Failure], None]


def weigh_all(model: Model, texts: Sequence[Weighing], on_weighed: OnWeighed) -> str:
    """Ask for the likelihood of every text, in an event loop of its own in the calling thread, and close the model.

    Args:
        model: Whom to ask.
        texts: What is weighed.
        on_weighed: Is told the number of each text, from 0, and its likelihood or why it has none, as they come. What
            it raises ends the asking and is raised.

    Returns:
        Empty; or, when the endpoint gives no log-probabilities of prompts, its reason. Then what was told until that
        was found out is only what had been stored.

    Raises:
        OutOfReachError: the store of responses does not answer.
        CancelledItemError: the evaluation was cancelled.
    """
    return asyncio.run(_weigh_all(model, texts, on_weighed))


async def _weigh_all(model: Model, texts: Sequence[Weighing], on_weighed: OnWeighed) -> str:
    numbered = enumerate(texts)
    async with model, model.batch(len(texts)):
        asking = _Asking(model, on_weighed)
        try:
            # The first alone: an endpoint that gives none is not asked for all of them.
            for number, text in numbered:
                await asking.one(number, text)
                break
            await _together(asking, numbered, min(model.settings.bounds.most_at_once, len(texts)))
        except _WeighsNoneError as error:
            return one_line(str(error))
    return ""


class _Asking:
    def __init__(self, model: Model, on_weighed: OnWeighed) -> None:
        self._model = model
        self._on_weighed = on_weighed
        self._supported = False
        self._probing = asyncio.Lock()

    async def one(self, number: int, text: Weighing) -> None:
        self._on_weighed(number, await self._outcome(text))

    async def _outcome(self, text: Weighing) -> Weighed | Failure:
        try:
            weighed = await self._weigh(text)
        except (OutOfReachError, CancelledItemError, _WeighsNoneError):
            raise
        except Exception as error:  # whatever it raises fails this text, and no other
            return failure_of(error, FailureKind.MODEL)
        self._supported = self._supported or weighed.usage.attempts > 0
        return weighed

    async def _weigh(self, text: Weighing) -> Weighed:
        """Weigh a text; tell one that cannot be, such as one that is too long, from an endpoint that weighs none.

        Raises:
            _WeighsNoneError: it weighs none.
        """
        try:
            return await self._model.weigh(text)
        except (RefusedRequestError, UnsupportedError) as error:
            async with self._probing:
                self._supported = self._supported or await self._model.supports_likelihood()
            if not self._supported:
                raise _WeighsNoneError(str(error)) from error
            raise


class _WeighsNoneError(Exception):
    """The endpoint gives no likelihoods at all."""


async def _together(asking: _Asking, numbered: Iterator[tuple[int, Weighing]], at_once: int) -> None:
    async def work() -> None:
        for number, text in numbered:
            await asking.one(number, text)

    workers = [asyncio.create_task(work()) for _ in range(at_once)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
