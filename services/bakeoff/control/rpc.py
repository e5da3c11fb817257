"""The EvaluationService: asking for evaluations, following and steering them over gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from bakeoff.contract.codec import (
    component_card_to_wire,
    enum_from_wire,
    evaluation_status_to_wire,
    request_from_wire,
    stage_from_wire,
)
from bakeoff.contract.work_codec import dead_letter_to_wire
from bakeoff.control.announcer import status_of
from bakeoff.control.dead_letters import DeadLetters, Entry
from bakeoff.control.engine import Engine
from bakeoff.control.examining import Examination
from bakeoff.control.intake import Accepted, Intake
from bakeoff.control.replaying import Replays
from bakeoff.control.states import no_evaluation
from bakeoff.control.steering import Steering
from bakeoff.domain.component import ComponentKind
from bakeoff.domain.errors import InvalidInputError, OutOfReachError, UnavailableError
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationRequest, EvaluationState, EvaluationStatus
from bakeoff.domain.identity import evaluation_id
from bakeoff.runtime import callers
from bakeoff.runtime.telemetry import spans
from bakeoff.runtime.telemetry.serving import incoming
from bakeoff.v1 import component_pb2, evaluation_service_pb2_grpc
from bakeoff.v1 import evaluation_service_pb2 as messages

PAGE = 100
PATIENCE_S = 5.0
"""How long a submission waits for services to announce themselves."""


class EvaluationService(evaluation_service_pb2_grpc.EvaluationServiceServicer):
    """Answers for one control process."""

    def __init__(self, engine: Engine, intake: Intake) -> None:
        """Answer with an engine and an intake."""
        self._engine = engine
        self._intake = intake
        self._steering = Steering(engine)
        self._dead = DeadLetters(intake.bus, intake.objects, engine.states)
        self._replays = Replays(intake.bus, intake.objects, engine.states)
        self._examination = Examination(engine, intake.bus, intake.objects)

    async def SubmitEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.SubmitEvaluationRequest, context: Any
    ) -> messages.SubmitEvaluationResponse:
        """Accept a request, or only check it."""
        tenant = callers.current().speaks_for(request.request.tenant)
        asked = replace(request_from_wire(request.request), tenant=tenant)
        if request.validate_only:
            checked = await self._intake.check(asked)
            name = evaluation_id(checked.tenant, checked.idempotency_key)
            return messages.SubmitEvaluationResponse(
                evaluation=evaluation_status_to_wire(
                    EvaluationStatus(name, checked.name, checked.tenant, EvaluationState.SUBMITTED)
                )
            )
        accepted = await self._patiently(asked, spans.current() or incoming(context))
        await self._engine.advance(accepted.record.evaluation_id)
        status = await self._engine.status(accepted.record.evaluation_id)
        return messages.SubmitEvaluationResponse(evaluation=evaluation_status_to_wire(status), created=accepted.created)

    async def GetEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.GetEvaluationRequest, context: Any
    ) -> messages.GetEvaluationResponse:
        """Return an evaluation as it stands."""
        await self._own(request.evaluation_id)
        status = await self._engine.status(request.evaluation_id)
        return messages.GetEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def ListEvaluations(  # noqa: N802  # the contract's name
        self, request: messages.ListEvaluationsRequest, context: Any
    ) -> messages.ListEvaluationsResponse:
        """Return a page of evaluations, newest first; without progress, which GetEvaluation gives."""
        caller = callers.current()
        records = [
            record
            for record in await self._engine.states.all()
            if request.tenant in ("", record.tenant) and caller.sees(record.tenant)
        ]
        records.sort(key=lambda record: (record.submitted_at, record.evaluation_id), reverse=True)
        start = _position(records, request.page_token)
        page = records[start : start + (request.page_size or PAGE)]
        more = start + len(page) < len(records)
        return messages.ListEvaluationsResponse(
            evaluations=[evaluation_status_to_wire(status_of(record, ())) for record in page],
            next_page_token=page[-1].evaluation_id if more else "",
        )

    async def WatchEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.WatchEvaluationRequest, context: Any
    ) -> AsyncIterator[messages.WatchEvaluationResponse]:
        """Send an evaluation as it stands, then each change, until it has ended."""
        await self._own(request.evaluation_id)
        async for status in self._engine.watch(request.evaluation_id):
            yield messages.WatchEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def CancelEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.CancelEvaluationRequest, context: Any
    ) -> messages.CancelEvaluationResponse:
        """Stop an evaluation."""
        await self._own(request.evaluation_id)
        await self._steering.cancel(request.evaluation_id, request.reason)
        status = await self._engine.status(request.evaluation_id)
        return messages.CancelEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def PauseEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.PauseEvaluationRequest, context: Any
    ) -> messages.PauseEvaluationResponse:
        """Release nothing more."""
        await self._own(request.evaluation_id)
        await self._steering.pause(request.evaluation_id)
        status = await self._engine.status(request.evaluation_id)
        return messages.PauseEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def ResumeEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.ResumeEvaluationRequest, context: Any
    ) -> messages.ResumeEvaluationResponse:
        """Take an evaluation up again."""
        await self._own(request.evaluation_id)
        concurrency = request.concurrency if request.HasField("concurrency") else None
        await self._steering.resume(request.evaluation_id, concurrency)
        status = await self._engine.status(request.evaluation_id)
        return messages.ResumeEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def ListDeadLetters(  # noqa: N802  # the contract's name
        self, request: messages.ListDeadLettersRequest, context: Any
    ) -> messages.ListDeadLettersResponse:
        """Return what was given up."""
        if request.evaluation_id:
            await self._own(request.evaluation_id)
        entries = await self._dead.all(request.evaluation_id, seen=callers.current().sees)
        return messages.ListDeadLettersResponse(entries=[_entry(entry) for entry in entries])

    async def GetDeadLetter(  # noqa: N802  # the contract's name
        self, request: messages.GetDeadLetterRequest, context: Any
    ) -> messages.GetDeadLetterResponse:
        """Return the last dead letter of an item."""
        await self._own(request.evaluation_id)
        entry = await self._dead.get(request.evaluation_id, stage_from_wire(request.stage), request.item)
        return messages.GetDeadLetterResponse(entry=_entry(entry))

    async def ReplayDeadLetters(  # noqa: N802  # the contract's name
        self, request: messages.ReplayDeadLettersRequest, context: Any
    ) -> messages.ReplayDeadLettersResponse:
        """Take an evaluation up again with what failed of it."""
        await self._own(request.evaluation_id)
        replayed = await self._replays.replay(request.evaluation_id, failed_cases=request.failed_cases)
        await self._engine.advance(request.evaluation_id, look=True)
        status = await self._engine.status(request.evaluation_id)
        return messages.ReplayDeadLettersResponse(evaluation=evaluation_status_to_wire(status), items=replayed.items)

    async def DiagnoseEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.DiagnoseEvaluationRequest, context: Any
    ) -> messages.DiagnoseEvaluationResponse:
        """Return what an evaluation waits for."""
        await self._own(request.evaluation_id)
        findings = await self._examination.look(request.evaluation_id)
        status = await self._engine.status(request.evaluation_id)
        return messages.DiagnoseEvaluationResponse(
            evaluation=evaluation_status_to_wire(status),
            findings=[
                messages.Diagnosis(name=each.name, ok=each.ok, detail=each.detail, advice=each.advice)
                for each in findings
            ],
        )

    async def ListComponents(  # noqa: N802  # the contract's name
        self, request: messages.ListComponentsRequest, context: Any
    ) -> messages.ListComponentsResponse:
        """Return the cards that running services have announced."""
        cards = await self._intake.catalogue.cards()
        if request.kind:
            kind = enum_from_wire(request.kind, "COMPONENT_KIND", component_pb2.ComponentKind, ComponentKind)
            cards = [card for card in cards if card.kind is kind]
        return messages.ListComponentsResponse(components=[component_card_to_wire(card) for card in cards])

    async def _own(self, evaluation_id: str) -> None:
        """Check that an evaluation exists for who calls: another tenant's does not."""
        record = await self._engine.states.need(evaluation_id)
        if not callers.current().sees(record.tenant):
            raise no_evaluation(evaluation_id)

    async def _patiently(self, request: EvaluationRequest, trace: str) -> Accepted:
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            try:
                return await self._intake.accept(request, trace)
            except OutOfReachError:
                raise
            except UnavailableError:
                # A platform that has just started: its services announce themselves within moments.
                if asyncio.get_running_loop().time() > deadline:
                    raise
                await asyncio.sleep(0.1)


def _entry(entry: Entry) -> messages.DeadLetterEntry:
    return messages.DeadLetterEntry(letter=dead_letter_to_wire(entry.letter), replayed=entry.replayed)


def _position(records: list[EvaluationRecord], page_token: str) -> int:
    if not page_token:
        return 0
    for number, record in enumerate(records):
        if record.evaluation_id == page_token:
            return number + 1
    raise InvalidInputError(f"{page_token!r} is no page token of this list")
