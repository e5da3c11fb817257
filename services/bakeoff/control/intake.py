"""Accepting requests: whichever way one comes, one idempotency key gives one evaluation."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.contract import object_keys
from bakeoff.contract.codec import now
from bakeoff.contract.stored import JSON, decode, encode
from bakeoff.control.announcer import Announcer
from bakeoff.control.catalogue import Catalogue
from bakeoff.control.checking import check_request
from bakeoff.control.named_paths import check_paths
from bakeoff.control.replaying import Replays
from bakeoff.control.rescoring import METHODS, REFUSED, check_rescoring, rescored_request
from bakeoff.control.sources import Sources
from bakeoff.control.states import States
from bakeoff.control.trial import TryMethods, untried
from bakeoff.domain.errors import InvalidInputError, UnavailableError
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationRequest, EvaluationState
from bakeoff.domain.identity import digest_of, evaluation_id
from bakeoff.runtime.bus import Bus
from bakeoff.runtime.objects import ObjectStore


@dataclass(frozen=True, slots=True)
class Accepted:
    """What came of a request."""

    record: EvaluationRecord
    created: bool
    """Whether this request made the evaluation, or started it again."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Checks requests and makes evaluations of them."""

    bus: Bus
    objects: ObjectStore
    states: States
    catalogue: Catalogue
    announcer: Announcer
    local_folders: tuple[Path, ...] | None = None
    """Folders that requests may name paths in; None means all."""
    try_methods: TryMethods = untried
    """Tells what is wrong with methods that a request names."""

    async def check(self, request: EvaluationRequest) -> EvaluationRequest:
        """Return the request with everything filled in.

        Raises:
            InvalidInputError: something is wrong with it; all faults at once.
            NotFoundError: there is no evaluation whose answers it would score.
            UnavailableError: a service that could tell has not announced its components.
        """
        if request.rescoring is not None:
            return await self._rescoring(request)
        cards = await self.catalogue.cards()
        checked = check_request(request, cards)
        violations = [*checked.violations, *check_paths(request, cards, self.local_folders)]
        if violations:
            raise InvalidInputError(f"the request {request.name!r} cannot be evaluated", violations)
        if checked.missing:
            kinds = ", ".join(kind.value for kind in checked.missing)
            raise UnavailableError(f"no service has announced its components of the kind {kinds}; is it running?")
        resolved = checked.request
        await self._try(resolved)
        return resolved if resolved.idempotency_key else replace(resolved, idempotency_key=digest_of(resolved))

    async def accept(self, request: EvaluationRequest, trace: str = "") -> Accepted:
        """Make an evaluation of a request, or find the one that it made before.

        One that failed or was cancelled is started again: what is done stays, what failed is tried anew.

        Args:
            request: As it came.
            trace: W3C trace context of who asks; empty when they bring none.

        Raises:
            InvalidInputError: as `check`, or the key belongs to another request.
            NotFoundError: as `check`.
            UnavailableError: as `check`.
        """
        resolved = await self.check(request)
        name = evaluation_id(resolved.tenant, resolved.idempotency_key)
        created = await asyncio.to_thread(
            self.objects.create, object_keys.request(name), encode(resolved), media_type=JSON
        )
        if not created.created:
            self._same(decode(await asyncio.to_thread(self.objects.read, created.ref), EvaluationRequest), resolved)
        record = EvaluationRecord(
            name,
            resolved.name,
            resolved.tenant,
            EvaluationState.SUBMITTED,
            now(),
            created.ref,
            concurrency=resolved.options.concurrency,
            trace=trace,
        )
        if await self.states.create(record):
            await self.announcer.say("accepted", record)
            return Accepted(record, True)
        there = await self.states.need(name)
        if there.state in (EvaluationState.FAILED, EvaluationState.CANCELLED):
            return Accepted((await Replays(self.bus, self.objects, self.states).take_up(there)).record, True)
        return Accepted(there, False)

    async def _rescoring(self, request: EvaluationRequest) -> EvaluationRequest:
        cards = await self.catalogue.cards()
        wanted = check_rescoring(request, cards)
        violations = check_paths(request, cards, self.local_folders)
        if violations:
            raise InvalidInputError(REFUSED, violations)
        sources = Sources(self.bus, self.objects, self.states)
        source = await sources.plan(wanted.evaluation_id, request.tenant)
        resolved = rescored_request(request, wanted, source, cards)
        if resolved.rescoring and resolved.rescoring.evaluation_id != wanted.evaluation_id:
            await sources.plan(resolved.rescoring.evaluation_id, request.tenant)  # it is whose answers are taken
        await self._try(resolved)
        return resolved

    async def _try(self, request: EvaluationRequest) -> None:
        for number, choice in enumerate(request.benchmarks):
            # All benchmarks of a re-scoring have its methods.
            field = f"benchmarks[{number}].evaluators" if request.rescoring is None else METHODS
            await self.try_methods(choice.evaluators, field)

    def _same(self, first: EvaluationRequest, second: EvaluationRequest) -> None:
        # How it is run may differ between two submissions of one question; what is asked may not.
        if replace(first, options=second.options, name="") != replace(second, name="") or (
            first.options.seed,
            first.options.confidence,
        ) != (second.options.seed, second.options.confidence):
            raise InvalidInputError(
                f"the idempotency key {second.idempotency_key!r} of tenant {second.tenant!r} belongs to another "
                f"request ({first.name!r}); use another key"
            )
