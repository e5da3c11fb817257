"""The platform's gRPC services as the command sees them: domain nouns in and out, domain errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import cast

import grpc

from bakeoff.contract import codec
from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentCard
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.evaluation import EvaluationRequest, EvaluationStatus
from bakeoff.domain.recipe import AnswerPart
from bakeoff.runtime.rpc import OPTIONS, error_of
from bakeoff.v1 import document_service_pb2 as documents
from bakeoff.v1 import evaluation_service_pb2 as evaluations
from bakeoff.v1 import inference_service_pb2 as inference
from bakeoff.v1 import report_service_pb2 as reports
from bakeoff.v1.document_service_pb2_grpc import DocumentServiceStub
from bakeoff.v1.evaluation_service_pb2_grpc import EvaluationServiceStub
from bakeoff.v1.inference_service_pb2_grpc import InferenceServiceStub
from bakeoff.v1.report_service_pb2_grpc import ReportServiceStub

CALL_S = 30.0  # a submission waits for the bus; everything else answers at once


class Client:
    """Calls a platform. Every method raises UnavailableError when it does not answer."""

    def __init__(self, address: str) -> None:
        """Make a client; connects when first used.

        Args:
            address: host:port of a server with the evaluation, report, document and inference services.
        """
        self.address = address
        self._channel = grpc.insecure_channel(address, OPTIONS)
        self._evaluations = EvaluationServiceStub(self._channel)
        self._reports = ReportServiceStub(self._channel)
        self._documents = DocumentServiceStub(self._channel)
        self._inference = InferenceServiceStub(self._channel)

    def __enter__(self) -> Client:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self._channel.close()

    def submit(self, request: EvaluationRequest) -> tuple[EvaluationStatus, bool]:
        """Ask for an evaluation; return it as it stands, and whether it was not known before.

        Raises:
            InvalidInputError: the request is refused; has the field violations.
        """
        with self._errors():
            message = evaluations.SubmitEvaluationRequest(request=codec.request_to_wire(request))
            answer = self._evaluations.SubmitEvaluation(message, timeout=CALL_S)
            return codec.evaluation_status_from_wire(answer.evaluation), answer.created

    def get(self, evaluation_id: str) -> EvaluationStatus:
        """Return an evaluation as it stands.

        Raises:
            NotFoundError: there is none of that id.
        """
        with self._errors():
            message = evaluations.GetEvaluationRequest(evaluation_id=evaluation_id)
            answer = self._evaluations.GetEvaluation(message, timeout=CALL_S)
            return codec.evaluation_status_from_wire(answer.evaluation)

    def evaluations(self, tenant: str = "") -> Iterator[EvaluationStatus]:
        """Yield evaluations, newest first; of one tenant, or of all when it is empty."""
        token = ""
        while True:
            with self._errors():
                message = evaluations.ListEvaluationsRequest(tenant=tenant, page_token=token)
                page = self._evaluations.ListEvaluations(message, timeout=CALL_S)
            yield from (codec.evaluation_status_from_wire(item) for item in page.evaluations)
            token = page.next_page_token
            if not token:
                return

    def watch(self, evaluation_id: str) -> Iterator[EvaluationStatus]:
        """Yield an evaluation as it stands, and after each change, until it ended.

        Raises:
            NotFoundError: there is none of that id.
        """
        with self._errors():
            message = evaluations.WatchEvaluationRequest(evaluation_id=evaluation_id)
            for change in self._evaluations.WatchEvaluation(message):
                yield codec.evaluation_status_from_wire(change.evaluation)

    def cancel(self, evaluation_id: str, reason: str = "") -> EvaluationStatus:
        """Stop an evaluation.

        Raises:
            NotFoundError: there is none of that id.
            InvalidInputError: it ended already.
        """
        with self._errors():
            message = evaluations.CancelEvaluationRequest(evaluation_id=evaluation_id, reason=reason)
            answer = self._evaluations.CancelEvaluation(message, timeout=CALL_S)
            return codec.evaluation_status_from_wire(answer.evaluation)

    def pause(self, evaluation_id: str) -> EvaluationStatus:
        """Release no more of an evaluation's items.

        Raises:
            NotFoundError: there is none of that id.
            InvalidInputError: it ended already.
        """
        with self._errors():
            message = evaluations.PauseEvaluationRequest(evaluation_id=evaluation_id)
            answer = self._evaluations.PauseEvaluation(message, timeout=CALL_S)
            return codec.evaluation_status_from_wire(answer.evaluation)

    def resume(self, evaluation_id: str, concurrency: int | None = None) -> EvaluationStatus:
        """Take up a paused evaluation, or change how many items run at once; None leaves that as it is.

        Raises:
            NotFoundError: there is none of that id.
            InvalidInputError: it ended already, or the concurrency is below 1.
        """
        with self._errors():
            message = evaluations.ResumeEvaluationRequest(evaluation_id=evaluation_id, concurrency=concurrency)
            answer = self._evaluations.ResumeEvaluation(message, timeout=CALL_S)
            return codec.evaluation_status_from_wire(answer.evaluation)

    def components(self) -> list[ComponentCard]:
        """Return the components that running services have announced."""
        with self._errors():
            answer = self._evaluations.ListComponents(evaluations.ListComponentsRequest(), timeout=CALL_S)
            return [codec.component_card_from_wire(card) for card in answer.components]

    def report_file(self, evaluation_id: str, format_name: str) -> Iterator[bytes]:
        """Yield the bytes of a file of a report, in pieces.

        Args:
            evaluation_id: The evaluation.
            format_name: json, html, csv, parquet or trec.

        Raises:
            NotFoundError: there is no such evaluation, or it has no report yet.
        """
        number = reports.ReportFormat.Value(f"REPORT_FORMAT_{format_name.upper()}")
        with self._errors():
            message = reports.GetReportRequest(evaluation_id=evaluation_id, format=number)
            for piece in self._reports.GetReport(message):
                yield piece.data

    def answer_rows(self, answer: AnswerPart, rows: Iterable[Case], seed: int = 0) -> Iterator[CaseAnswer]:
        """Have rows answered from what they bring, and yield the answers as they come, in any order.

        Args:
            answer: How answers are made.
            rows: Are asked for as there is room; their `eval_type`, `contexts` and `choices` are among their metadata.
            seed: With the case id, the source of everything random.

        Raises:
            NotFoundError: there is no such generator.
            InvalidInputError: the template cannot be read, a setting is wrong, or a key is missing.
        """
        with self._errors():
            for response in self._inference.GenerateAnswers(_row_messages(answer, rows, seed)):
                failure = codec.failure_from_wire(response.failure) if response.HasField("failure") else None
                yield CaseAnswer(response.row_id, text=None if failure else response.text, failure=failure)

    def original(self, raw_key: str, start: int = 0, length: int = 0) -> Iterator[bytes]:
        """Yield the bytes of an original document, in pieces.

        Args:
            raw_key: Its key, as passages name it.
            start: First byte, from 0.
            length: At most so many bytes; 0 means to the end.

        Raises:
            NotFoundError: there is no such original.
            InvalidInputError: it has no such bytes.
        """
        with self._errors():
            message = documents.DownloadDocumentRequest(raw_key=raw_key, start=start, length=length)
            for piece in self._documents.DownloadDocument(message):
                yield piece.data

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            domain = error_of(error, f"the platform at {self.address}")
            raise domain if isinstance(domain, BakeoffError) else BakeoffError(str(domain)) from error


def _row_messages(answer: AnswerPart, rows: Iterable[Case], seed: int) -> Iterator[inference.GenerateAnswersRequest]:
    for number, row in enumerate(rows):
        yield inference.GenerateAnswersRequest(
            row_id=row.case_id,
            question=row.query,
            contexts=cast(Sequence[str], row.metadata.get("contexts", ())),
            choices=cast(Sequence[str], row.metadata.get("choices", ())),
            eval_type=str(row.metadata.get("eval_type", "")),
            answer=codec.answer_part_to_wire(answer) if number == 0 else None,
            seed=seed,
        )
