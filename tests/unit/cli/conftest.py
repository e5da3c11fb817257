"""A small platform that answers the calls of the command over real gRPC, and remembers what it was asked."""

# ruff: noqa: N802  # methods have the names of the contract

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.contract import codec
from bakeoff.contract.stored import encode
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.domain.evaluation import EvaluationState, EvaluationStatus, Stage, StageProgress
from bakeoff.domain.identity import evaluation_id
from bakeoff.domain.report import EntrantResult, EvaluationReport, RunFacts
from bakeoff.runtime.rpc import make_server, open_server
from bakeoff.v1 import document_service_pb2 as documents
from bakeoff.v1 import evaluation_service_pb2 as pb
from bakeoff.v1 import inference_service_pb2 as inference
from bakeoff.v1 import report_service_pb2 as reports
from bakeoff.v1.document_service_pb2_grpc import (
    DocumentServiceServicer,
    add_DocumentServiceServicer_to_server,
)
from bakeoff.v1.evaluation_service_pb2_grpc import (
    EvaluationServiceServicer,
    add_EvaluationServiceServicer_to_server,
)
from bakeoff.v1.inference_service_pb2_grpc import (
    InferenceServiceServicer,
    add_InferenceServiceServicer_to_server,
)
from bakeoff.v1.report_service_pb2_grpc import ReportServiceServicer, add_ReportServiceServicer_to_server
from tests.builders import a_request
from tests.builders.component import some_cards


class FakePlatform(EvaluationServiceServicer, ReportServiceServicer, DocumentServiceServicer, InferenceServiceServicer):
    """Completes everything that it is given at once, unless told otherwise."""

    def __init__(self) -> None:
        self.address = ""
        self.end = EvaluationState.COMPLETED
        self.failed_cases = 0
        self.known: dict[str, EvaluationStatus] = {}
        self.calls: list[str] = []
        self.reports: dict[str, EvaluationReport] = {}
        self.originals: dict[str, bytes] = {}
        self.rows: list[Any] = []

    async def SubmitEvaluation(self, request: Any, context: Any) -> Any:
        asked = codec.request_from_wire(request.request)
        if asked.name == "refused":
            raise InvalidInputError("the request is refused", [Violation("recipes[0].name", "must be another")])
        name = evaluation_id(asked.tenant, asked.idempotency_key)
        created = name not in self.known
        self.known.setdefault(
            name,
            EvaluationStatus(
                name,
                asked.name,
                asked.tenant,
                EvaluationState.RUNNING,
                (StageProgress(Stage.PREPARE, 1, 1, 0), StageProgress(Stage.INFER, 3, 1, 2, 0, 30, 10)),
                submitted_at="2032-04-01T12:00:00Z",
            ),
        )
        report = a_report()
        self.reports[name] = replace(
            report, name=asked.name, request=asked, run=replace(report.run, evaluation_id=name)
        )
        return pb.SubmitEvaluationResponse(
            evaluation=codec.evaluation_status_to_wire(self.known[name]), created=created
        )

    async def GetEvaluation(self, request: Any, context: Any) -> Any:
        status = self.need(request.evaluation_id)
        return pb.GetEvaluationResponse(evaluation=codec.evaluation_status_to_wire(status))

    async def WatchEvaluation(self, request: Any, context: Any) -> AsyncIterator[Any]:
        status = self.need(request.evaluation_id)
        yield pb.WatchEvaluationResponse(evaluation=codec.evaluation_status_to_wire(status))
        reason = "" if self.end is EvaluationState.COMPLETED else "because it had to"
        ended = replace(status, state=self.end, reason=reason, ended_at="2032-04-01T12:01:00Z")
        self.known[request.evaluation_id] = ended
        yield pb.WatchEvaluationResponse(evaluation=codec.evaluation_status_to_wire(ended))

    async def ListEvaluations(self, request: Any, context: Any) -> Any:
        names = sorted(name for name in self.known if name > request.page_token)
        page, rest = names[:2], names[2:]
        return pb.ListEvaluationsResponse(
            evaluations=[codec.evaluation_status_to_wire(self.known[name]) for name in page],
            next_page_token=page[-1] if rest else "",
        )

    async def CancelEvaluation(self, request: Any, context: Any) -> Any:
        return pb.CancelEvaluationResponse(evaluation=self.step(request, f"cancel {request.reason}"))

    async def PauseEvaluation(self, request: Any, context: Any) -> Any:
        return pb.PauseEvaluationResponse(evaluation=self.step(request, "pause"))

    async def ResumeEvaluation(self, request: Any, context: Any) -> Any:
        asked = request.concurrency if request.HasField("concurrency") else None
        return pb.ResumeEvaluationResponse(evaluation=self.step(request, f"resume {asked}"))

    async def ListComponents(self, request: Any, context: Any) -> Any:
        return pb.ListComponentsResponse(components=[codec.component_card_to_wire(card) for card in some_cards()])

    async def GetReport(self, request: Any, context: Any) -> AsyncIterator[Any]:
        self.need(request.evaluation_id)
        if request.format == reports.REPORT_FORMAT_JSON:
            report = self.reports[request.evaluation_id]
            entrants = tuple(replace(entrant, failed_cases=self.failed_cases) for entrant in report.entrants)
            data = encode(replace(report, entrants=entrants))
        elif request.format == reports.REPORT_FORMAT_AGBENCHMARK:
            raise NotFoundError("no challenge for agents was judged")
        else:
            data = reports.ReportFormat.Name(request.format).encode()
        for start in range(0, len(data), 100):
            yield reports.GetReportResponse(data=data[start : start + 100])

    async def DownloadDocument(self, request: Any, context: Any) -> AsyncIterator[Any]:
        if request.raw_key not in self.originals:
            raise NotFoundError(f"there is no original {request.raw_key!r}")
        data = self.originals[request.raw_key][request.start :]
        data = data[: request.length or None]
        for start in range(0, len(data), 7):
            yield documents.DownloadDocumentResponse(data=data[start : start + 7])

    async def GenerateAnswers(self, request_iterator: Any, context: Any) -> AsyncIterator[Any]:
        """Say each question in capitals, the last one first; a question that is `fail` fails."""
        rows = [row async for row in request_iterator]
        self.rows += rows
        if codec.answer_part_from_wire(rows[0].answer).generator.name == "nobody":
            raise NotFoundError("no generator is named 'nobody'")
        for row in reversed(rows):
            if row.question == "fail":
                failure = codec.failure_to_wire(Failure(FailureKind.MODEL, "it would not"))
                yield inference.GenerateAnswersResponse(row_id=row.row_id, failure=failure)
            else:
                yield inference.GenerateAnswersResponse(row_id=row.row_id, text=row.question.upper())

    def step(self, request: Any, call: str) -> Any:
        self.calls.append(call)
        return codec.evaluation_status_to_wire(self.need(request.evaluation_id))

    def need(self, evaluation_id: str) -> EvaluationStatus:
        if evaluation_id not in self.known:
            raise NotFoundError(f"there is no evaluation {evaluation_id!r}")
        return self.known[evaluation_id]


def a_report() -> EvaluationReport:
    entrant = EntrantResult("scifact", "bm25/full_text_search", "bm25", "full_text_search", 3, 3, 0, {}, (), ())
    run = RunFacts("ev-1", "2032-04-01T12:00:00Z", "2032-04-01T12:01:00Z", ())
    return EvaluationReport("1", "a bake-off", "0" * 64, a_request(), (), (entrant,), (), (), {}, {}, run)


@pytest.fixture
def platform() -> Iterator[FakePlatform]:
    """The platform, running in a thread of its own."""
    fake = FakePlatform()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> Any:
        server = make_server()
        add_EvaluationServiceServicer_to_server(fake, server)
        add_ReportServiceServicer_to_server(fake, server)
        add_DocumentServiceServicer_to_server(fake, server)
        add_InferenceServiceServicer_to_server(fake, server)
        return await open_server(server, "127.0.0.1:0", [])

    running = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    fake.address = f"127.0.0.1:{running.port}"
    yield fake
    asyncio.run_coroutine_threadsafe(running.stop(0.0), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()
