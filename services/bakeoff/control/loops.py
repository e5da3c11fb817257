"""What control does by itself: takes requests from the bus, follows facts, sweeps, buries what the server gave up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from bakeoff.contract import subjects
from bakeoff.contract.codec import now, request_from_wire
from bakeoff.contract.work_codec import (
    dead_letter_to_bytes,
    done_fact_from_bytes,
    done_fact_to_bytes,
    task_from_bytes,
)
from bakeoff.control.engine import Engine
from bakeoff.control.intake import Intake
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import InvalidInputError, NotFoundError, OutOfReachError, UnavailableError
from bakeoff.domain.evaluation import EvaluationRecord, EvaluationRequest, EvaluationState, ObjectRef
from bakeoff.domain.identity import digest_of, evaluation_id, sha256_hex, token
from bakeoff.domain.work import DoneFact, ItemOutcome
from bakeoff.runtime import logs
from bakeoff.runtime.backoff import delay_s
from bakeoff.runtime.bus import Bus, Delivery
from bakeoff.runtime.envelope import TRACEPARENT
from bakeoff.runtime.telemetry import spans
from bakeoff.v1 import evaluation_pb2

FETCH_S = 2.0
REQUEST_ATTEMPTS = 3
"""Deliveries of a request that raises something unforeseen."""
JSON = b"{"
"""How JSON begins; as protobuf it would begin a group, which no request has. A space before it would not tell them
apart."""
log = logs.get("control")


class Loops:
    """The background work of a control process."""

    def __init__(self, bus: Bus, engine: Engine, intake: Intake, sweep_s: float) -> None:
        """Work on a bus; sweep every so many seconds."""
        self._bus = bus
        self._engine = engine
        self._intake = intake
        self._sweep_s = sweep_s

    async def run(self) -> None:
        """Run until cancelled; each loop goes on whatever happens to it."""
        async with asyncio.TaskGroup() as group:
            for work in (self._follow_facts, self._sweep, self._take_requests, self._take_dead):
                group.create_task(self._keep(work))

    async def _keep(self, work: Callable[[], Awaitable[None]]) -> None:
        attempt = 0
        while True:
            try:
                await work()
                attempt = 0
            except OutOfReachError as error:
                attempt += 1
                log.warning("out of reach", reason=str(error), times=attempt)
            except Exception:
                attempt += 1
                log.exception("loop raised", loop=work.__name__)
            await asyncio.sleep(delay_s(max(attempt, 1)))

    async def _follow_facts(self) -> None:
        async for message in self._bus.follow(subjects.ALL_DONE):
            fact = done_fact_from_bytes(message.data)
            try:
                await self._engine.note(fact)
            except OutOfReachError:
                log.warning("fact left for the sweep", evaluation_id=fact.evaluation_id, item=fact.item)

    async def _sweep(self) -> None:
        while True:
            await self._engine.sweep()
            await asyncio.sleep(self._sweep_s)

    async def _take_requests(self) -> None:
        while True:
            for delivery in await self._bus.fetch(subjects.REQUEST_CONSUMER, 8, FETCH_S):
                await self._request(delivery)

    async def _request(self, delivery: Delivery) -> None:
        try:
            request = read_request(delivery.message.subject, delivery.message.data)
        except InvalidInputError as error:
            log.error("request refused", subject=delivery.message.subject, reason=str(error))
            await delivery.term()
            return
        try:
            trace = delivery.message.headers.get(TRACEPARENT, "")
            with spans.span("take request", parent=trace) as span:
                accepted = await self._intake.accept(request, span.traceparent or trace)
        except (InvalidInputError, NotFoundError) as error:
            await self._refuse(request, str(error))
            await delivery.ack()
            return
        except UnavailableError as error:
            log.warning("request waits", name=request.name, reason=str(error))
            await delivery.nak(delay_s(delivery.deliveries + 4))
            return
        except Exception:
            # A request that nothing foresaw must not keep others waiting, nor come for ever.
            log.exception("request raised", subject=delivery.message.subject, deliveries=delivery.deliveries)
            if delivery.deliveries >= REQUEST_ATTEMPTS:
                await self._refuse(request, "internal error; the control service's log has it")
                await delivery.term()
            else:
                await delivery.nak(delay_s(delivery.deliveries))
            return
        await delivery.ack()
        await self._engine.advance(accepted.record.evaluation_id)

    async def _refuse(self, request: EvaluationRequest, reason: str) -> None:
        """Tell whoever follows the events; there is nobody else to tell."""
        key = request.idempotency_key or _content_key(request)
        name = evaluation_id(request.tenant, key)
        log.error("request refused", name=request.name, evaluation_id=name, reason=reason)
        record = EvaluationRecord(
            name,
            request.name,
            request.tenant,
            EvaluationState.FAILED,
            now(),
            ObjectRef("", "", 0),
            reason=reason,
            ended_at=now(),
        )
        await self._engine.announcer.say("failed", record)

    async def _take_dead(self) -> None:
        while True:
            for delivery in await self._bus.fetch(subjects.DEAD_CONSUMER, 8, FETCH_S):
                advisory = json.loads(delivery.message.data)
                await self._bury(int(advisory["stream_seq"]), int(advisory["deliveries"]))
                await delivery.ack()

    async def _bury(self, sequence: int, deliveries: int) -> None:
        """End an item that killed even those who isolated it: the server delivers it no more."""
        message = await self._bus.remove(subjects.TASKS, sequence)
        if message is None:
            return
        task = task_from_bytes(message.data)
        failure = Failure(FailureKind.INFRASTRUCTURE, f"given up after {deliveries} deliveries without a sign of life")
        fact = DoneFact(task.evaluation_id, task.stage, task.item, ItemOutcome.FAILED, None, failure, now())
        subject = subjects.done(task.evaluation_id, task.stage, task.item)
        await self._bus.publish(subject, done_fact_to_bytes(fact), first_only=True)
        letter = dead_letter_to_bytes(task, failure, now(), deliveries)
        await self._bus.publish(subjects.dead(task.evaluation_id, task.stage, task.item), letter)


def _content_key(request: EvaluationRequest) -> str:
    try:
        return digest_of(request)
    except ValueError:  # it holds what has no place in JSON, such as a number that is none
        return sha256_hex(repr(request).encode())


def read_request(subject: str, data: bytes) -> EvaluationRequest:
    """Read a request from the bus: protobuf, or its JSON, for which a NATS client is enough.

    Its tenant is that of its subject, which the bus lets only that tenant publish on.

    Raises:
        InvalidInputError: it is no request, or its subject is that of no tenant.
    """
    message = evaluation_pb2.EvaluationRequest()
    try:
        if data.startswith(JSON):
            json_format.Parse(data, message)
        else:
            message.ParseFromString(data)
    except (DecodeError, json_format.ParseError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"{len(data)} bytes are no EvaluationRequest: {error}") from error
    request = request_from_wire(message)
    owner = subject.rpartition(".")[2]
    if token(request.tenant) == owner:  # also for tenants whose names are spelled otherwise in subjects
        return request
    if token(owner) != owner:
        raise InvalidInputError(f"a request of tenant {request.tenant!r} came on the subject {subject!r}")
    return replace(request, tenant=owner)
