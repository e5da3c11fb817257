"""Evaluations: asking for them, following and steering them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from functools import partial

from bakeoff.client import evaluation_calls as calls
from bakeoff.client import knowledge_calls
from bakeoff.client.connection import AsyncConnection, Connection
from bakeoff.client.evaluation_calls import PAUSE_S, Evaluation, Patience, Submitted
from bakeoff.domain.component import ComponentCard, ComponentSpec
from bakeoff.domain.errors import UnavailableError
from bakeoff.domain.evaluation import EvaluationRequest, EvaluationStatus
from bakeoff.runtime.telemetry import spans

Show = Callable[[EvaluationStatus], object]
"""Is called with an evaluation as it stands, and after each change."""


class Evaluations(Connection):
    """Evaluations, waited for."""

    def submit(
        self, evaluation: Evaluation, *, idempotency_key: str = "", tenant: str = "", fresh: bool = False
    ) -> Submitted:
        """Ask for an evaluation; return it as it stands, and whether it was not known before.

        Submitting the same again gives the same evaluation; one that failed or was cancelled is started again.

        Args:
            evaluation: The path of an evaluation file; a mapping of the same shape; or a request. Paths in it are
                those of the platform's machine; relative ones start at the file's folder, or at the working folder.
            idempotency_key: Requests of a tenant with one key are one evaluation, whichever way they come. Empty: by
                content, and of a file or mapping also by the state of the data that is here.
            tenant: Whose evaluation it is; empty means the file's, or that of the token.
            fresh: Whether to evaluate anew what is known.

        Raises:
            NotFoundError: there is no such file.
            InvalidInputError: the file or the request has faults, all at once in `violations`; or the key belongs to
                another request.
        """
        return self._submit(self._request(evaluation, idempotency_key, tenant, fresh))

    def check(self, evaluation: Evaluation) -> str:
        """Check an evaluation, and on the platform's machine its benchmarks; nothing is stored or started.

        Returns:
            The id that it would have.

        Raises:
            NotFoundError: there is no such file.
            InvalidInputError: it has faults, or a benchmark cannot be prepared.
        """
        request = self._request(evaluation)
        name = self._call(calls.check(request))
        for choice in request.benchmarks:
            self._call(knowledge_calls.check_benchmark(choice))
        return name

    def get(self, evaluation_id: str) -> EvaluationStatus:
        """Return an evaluation as it stands.

        Raises:
            NotFoundError: there is none of that id.
        """
        return self._call(calls.get(evaluation_id))

    def evaluations(self, tenant: str = "") -> Iterator[EvaluationStatus]:
        """Yield evaluations without their progress, newest first; of one tenant, or of all that may be seen."""
        pages = calls.Pages(tenant)
        while call := pages.next:
            yield from self._call(call)

    def watch(self, evaluation_id: str) -> Iterator[EvaluationStatus]:
        """Yield an evaluation as it stands, and after each change, until it ended.

        Raises:
            NotFoundError: there is none of that id.
        """
        return self._stream(calls.watch(evaluation_id))

    def wait(self, evaluation_id: str, *, timeout_s: float | None = None, show: Show | None = None) -> EvaluationStatus:
        """Follow an evaluation until it ended, however, and return it. A server that goes away is waited for.

        Args:
            evaluation_id: The evaluation.
            timeout_s: Longest wait in seconds; None waits for as long as it takes.
            show: Called with it after each change; None tells nobody.

        Raises:
            NotFoundError: there is none of that id.
            UnavailableError: the server does not answer, stayed away for a minute, or the time is over.
        """
        patience = Patience(evaluation_id, timeout_s, time.monotonic)
        while True:
            failed: UnavailableError | None = None
            try:
                for status in self._stream(calls.watch(evaluation_id), patience.left_s):
                    patience.heard()
                    if show is not None:
                        show(status)
                    if status.state.ended:
                        return status
            except UnavailableError as error:
                failed = error
            patience.go_on(failed)
            time.sleep(PAUSE_S)

    def run(self, evaluation: Evaluation, *, timeout_s: float | None = None, show: Show | None = None) -> str:
        """Submit an evaluation, wait until it completed, and return its id.

        Raises:
            BakeoffError: it failed or was cancelled; otherwise as `submit` and `wait`.
        """
        name = self.submit(evaluation).status.evaluation_id
        return calls.completed(self.wait(name, timeout_s=timeout_s, show=show)).evaluation_id

    def cancel(self, evaluation_id: str, reason: str = "") -> EvaluationStatus:
        """Stop an evaluation; what is done stays. One that ended already is returned as it is.

        Raises:
            NotFoundError: there is none of that id.
        """
        return self._call(calls.cancel(evaluation_id, reason))

    def pause(self, evaluation_id: str) -> EvaluationStatus:
        """Release no more of an evaluation's items.

        Raises:
            NotFoundError: there is none of that id.
            InvalidInputError: it ended already.
        """
        return self._call(calls.pause(evaluation_id))

    def resume(self, evaluation_id: str, concurrency: int | None = None) -> EvaluationStatus:
        """Take up a paused evaluation, or change how many items run at once; None leaves that as it is.

        Raises:
            NotFoundError: there is none of that id.
            InvalidInputError: it ended already, or the concurrency is below 1.
        """
        return self._call(calls.resume(evaluation_id, concurrency))

    def rescore(
        self,
        evaluation_id: str,
        evaluators: Sequence[str | ComponentSpec],
        *,
        add: bool = False,
        name: str = "",
        fresh: bool = False,
    ) -> Submitted:
        """Ask for the stored answers of a completed evaluation to be scored with other methods: a new evaluation.

        Args:
            evaluation_id: Whose answers they are.
            evaluators: Methods, such as `token_f1(normaliser="squad")`; at least one.
            add: Whether they come beside its own methods; otherwise they take their place.
            name: Title of the report; empty means the evaluation's, re-scored.
            fresh: Whether to score anew what is known.

        Raises:
            NotFoundError: there is none of that id.
            InvalidInputError: it has not completed, or a method or its setting is wrong.
        """
        request = calls.rescoring(self.get(evaluation_id), evaluators, add=add, name=name, fresh=fresh)
        return self._submit(request)

    def components(self) -> list[ComponentCard]:
        """Return the components that running services have announced."""
        return self._call(calls.components())

    def _submit(self, request: EvaluationRequest) -> Submitted:
        with spans.span("submit", name=request.name):
            return self._call(calls.submit(request))

    def _request(
        self, evaluation: Evaluation, idempotency_key: str = "", tenant: str = "", fresh: bool = False
    ) -> EvaluationRequest:
        from bakeoff.client.requests import read_request  # loads every adapter: only for those who submit

        cards = () if isinstance(evaluation, EvaluationRequest) else self.components()
        return read_request(
            evaluation, cards, self.settings, idempotency_key=idempotency_key, tenant=tenant, fresh=fresh
        )


class AsyncEvaluations(AsyncConnection):
    """Evaluations, awaited: each method does what its namesake of `Client` does, and raises the same."""

    async def submit(
        self, evaluation: Evaluation, *, idempotency_key: str = "", tenant: str = "", fresh: bool = False
    ) -> Submitted:
        """Ask for an evaluation; return it as it stands, and whether it was not known before."""
        return await self._submit(await self._request(evaluation, idempotency_key, tenant, fresh))

    async def check(self, evaluation: Evaluation) -> str:
        """Check an evaluation and its benchmarks; return the id that it would have."""
        request = await self._request(evaluation)
        name = await self._call(calls.check(request))
        for choice in request.benchmarks:
            await self._call(knowledge_calls.check_benchmark(choice))
        return name

    async def get(self, evaluation_id: str) -> EvaluationStatus:
        """Return an evaluation as it stands."""
        return await self._call(calls.get(evaluation_id))

    async def evaluations(self, tenant: str = "") -> AsyncIterator[EvaluationStatus]:
        """Yield evaluations without their progress, newest first; of one tenant, or of all that may be seen."""
        pages = calls.Pages(tenant)
        while call := pages.next:
            for status in await self._call(call):
                yield status

    def watch(self, evaluation_id: str) -> AsyncIterator[EvaluationStatus]:
        """Yield an evaluation as it stands, and after each change, until it ended."""
        return self._stream(calls.watch(evaluation_id))

    async def wait(
        self, evaluation_id: str, *, timeout_s: float | None = None, show: Show | None = None
    ) -> EvaluationStatus:
        """Follow an evaluation until it ended, however, and return it. A server that goes away is waited for."""
        patience = Patience(evaluation_id, timeout_s, time.monotonic)
        while True:
            failed: UnavailableError | None = None
            try:
                async with aclosing(self._stream(calls.watch(evaluation_id), patience.left_s)) as statuses:
                    async for status in statuses:
                        patience.heard()
                        if show is not None:
                            show(status)
                        if status.state.ended:
                            return status
            except UnavailableError as error:
                failed = error
            patience.go_on(failed)
            await asyncio.sleep(PAUSE_S)

    async def run(self, evaluation: Evaluation, *, timeout_s: float | None = None, show: Show | None = None) -> str:
        """Submit an evaluation, wait until it completed, and return its id."""
        name = (await self.submit(evaluation)).status.evaluation_id
        return calls.completed(await self.wait(name, timeout_s=timeout_s, show=show)).evaluation_id

    async def cancel(self, evaluation_id: str, reason: str = "") -> EvaluationStatus:
        """Stop an evaluation; what is done stays. One that ended already is returned as it is."""
        return await self._call(calls.cancel(evaluation_id, reason))

    async def pause(self, evaluation_id: str) -> EvaluationStatus:
        """Release no more of an evaluation's items."""
        return await self._call(calls.pause(evaluation_id))

    async def resume(self, evaluation_id: str, concurrency: int | None = None) -> EvaluationStatus:
        """Take up a paused evaluation, or change how many items run at once; None leaves that as it is."""
        return await self._call(calls.resume(evaluation_id, concurrency))

    async def rescore(
        self,
        evaluation_id: str,
        evaluators: Sequence[str | ComponentSpec],
        *,
        add: bool = False,
        name: str = "",
        fresh: bool = False,
    ) -> Submitted:
        """Ask for the stored answers of a completed evaluation to be scored with other methods: a new evaluation."""
        request = calls.rescoring(await self.get(evaluation_id), evaluators, add=add, name=name, fresh=fresh)
        return await self._submit(request)

    async def components(self) -> list[ComponentCard]:
        """Return the components that running services have announced."""
        return await self._call(calls.components())

    async def _submit(self, request: EvaluationRequest) -> Submitted:
        with spans.span("submit", name=request.name):
            return await self._call(calls.submit(request))

    async def _request(
        self, evaluation: Evaluation, idempotency_key: str = "", tenant: str = "", fresh: bool = False
    ) -> EvaluationRequest:
        from bakeoff.client.requests import read_request

        cards = () if isinstance(evaluation, EvaluationRequest) else await self.components()
        asked = partial(read_request, evaluation, cards, self.settings)
        # Reads files, and loads what reads them.
        return await asyncio.to_thread(asked, idempotency_key=idempotency_key, tenant=tenant, fresh=fresh)
