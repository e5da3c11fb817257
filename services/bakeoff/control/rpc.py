"""The EvaluationService: asking for evaluations, following and steering them over gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from bakeoff.contract.codec import (
    component_card_to_wire,
    enum_from_wire,
    evaluation_status_to_wire,
    request_from_wire,
)
from bakeoff.control.announcer import status_of
from bakeoff.control.engine import Engine
from bakeoff.control.intake import Accepted, Intake
from bakeoff.control.steering import Steering
from bakeoff.domain.component import ComponentKind
from bakeoff.domain.errors import InvalidInputError, OutOfReachError, UnavailableError
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationRequest, EvaluationState, EvaluationStatus
from bakeoff.domain.identity import evaluation_id
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

    async def SubmitEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.SubmitEvaluationRequest, context: Any
    ) -> messages.SubmitEvaluationResponse:
        """Accept a request, or only check it."""
        asked = request_from_wire(request.request)
        if request.validate_only:
            checked = await self._intake.check(asked)
            name = evaluation_id(checked.tenant, checked.idempotency_key)
            return messages.SubmitEvaluationResponse(
                evaluation=evaluation_status_to_wire(
                    EvaluationStatus(name, checked.name, checked.tenant, EvaluationState.SUBMITTED)
                )
            )
        accepted = await self._patiently(asked)
        await self._engine.advance(accepted.record.evaluation_id)
        status = await self._engine.status(accepted.record.evaluation_id)
        return messages.SubmitEvaluationResponse(evaluation=evaluation_status_to_wire(status), created=accepted.created)

    async def GetEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.GetEvaluationRequest, context: Any
    ) -> messages.GetEvaluationResponse:
        """Return an evaluation as it stands."""
        status = await self._engine.status(request.evaluation_id)
        return messages.GetEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def ListEvaluations(  # noqa: N802  # the contract's name
        self, request: messages.ListEvaluationsRequest, context: Any
    ) -> messages.ListEvaluationsResponse:
        """Return a page of evaluations, newest first; without progress, which GetEvaluation gives."""
        records = [record for record in await self._engine.states.all() if request.tenant in ("", record.tenant)]
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
        async for status in self._engine.watch(request.evaluation_id):
            yield messages.WatchEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def CancelEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.CancelEvaluationRequest, context: Any
    ) -> messages.CancelEvaluationResponse:
        """Stop an evaluation."""
        await self._steering.cancel(request.evaluation_id, request.reason)
        status = await self._engine.status(request.evaluation_id)
        return messages.CancelEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def PauseEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.PauseEvaluationRequest, context: Any
    ) -> messages.PauseEvaluationResponse:
        """Release nothing more."""
        await self._steering.pause(request.evaluation_id)
        status = await self._engine.status(request.evaluation_id)
        return messages.PauseEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def ResumeEvaluation(  # noqa: N802  # the contract's name
        self, request: messages.ResumeEvaluationRequest, context: Any
    ) -> messages.ResumeEvaluationResponse:
        """Take an evaluation up again."""
        concurrency = request.concurrency if request.HasField("concurrency") else None
        await self._steering.resume(request.evaluation_id, concurrency)
        status = await self._engine.status(request.evaluation_id)
        return messages.ResumeEvaluationResponse(evaluation=evaluation_status_to_wire(status))

    async def ListComponents(  # noqa: N802  # the contract's name
        self, request: messages.ListComponentsRequest, context: Any
    ) -> messages.ListComponentsResponse:
        """Return the cards that running services have announced."""
        cards = await self._intake.catalogue.cards()
        if request.kind:
            kind = enum_from_wire(request.kind, "COMPONENT_KIND", component_pb2.ComponentKind, ComponentKind)
            cards = [card for card in cards if card.kind is kind]
        return messages.ListComponentsResponse(components=[component_card_to_wire(card) for card in cards])

    async def _patiently(self, request: EvaluationRequest) -> Accepted:
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            try:
                return await self._intake.accept(request)
            except OutOfReachError:
                raise
            except UnavailableError:
                # A platform that has just started: its services announce themselves within moments.
                if asyncio.get_running_loop().time() > deadline:
                    raise
                await asyncio.sleep(0.1)


def _position(records: list[EvaluationRecord], page_token: str) -> int:
    if not page_token:
        return 0
    for number, record in enumerate(records):
        if record.evaluation_id == page_token:
            return number + 1
    raise InvalidInputError(f"{page_token!r} is no page token of this list")
