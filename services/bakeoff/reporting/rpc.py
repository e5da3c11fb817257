"""The RPCs of the reporting service."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar, cast

from bakeoff.contract import codec, object_keys
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.compare import compare_reports
from bakeoff.reporting.files import AGBENCHMARK_FILE, CSV_FILE, PAGE_FILE, PARQUET_FILE, REPORT_FILE, TREC_FILE
from bakeoff.reporting.load import load_report
from bakeoff.reporting.tracing import Traces
from bakeoff.runtime import callers
from bakeoff.runtime.holdings import Holdings
from bakeoff.runtime.objects import ObjectStore
from bakeoff.v1 import report_service_pb2 as pb
from bakeoff.v1.report_service_pb2_grpc import ReportServiceServicer

T = TypeVar("T")
PIECE_BYTES = 1 << 20
NO_REPORT = "evaluation {!r} has no report: it does not exist, or has not finished"
NO_PLAN = "evaluation {!r} has no plan: it does not exist, or is not planned yet"
ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
FILES = {
    pb.REPORT_FORMAT_UNSPECIFIED: REPORT_FILE,
    pb.REPORT_FORMAT_JSON: REPORT_FILE,
    pb.REPORT_FORMAT_HTML: PAGE_FILE,
    pb.REPORT_FORMAT_CSV: CSV_FILE,
    pb.REPORT_FORMAT_PARQUET: PARQUET_FILE,
    pb.REPORT_FORMAT_TREC: TREC_FILE,
    pb.REPORT_FORMAT_AGBENCHMARK: AGBENCHMARK_FILE,
}


class ReportRpc(ReportServiceServicer):
    """Serves the files of finished evaluations."""

    def __init__(self, objects: ObjectStore) -> None:
        """Serve what a store holds."""
        self._objects = objects
        self._holdings = Holdings(objects)

    async def GetReport(  # noqa: N802  # the contract's name
        self, request: pb.GetReportRequest, context: Any
    ) -> AsyncIterator[pb.GetReportResponse]:
        """Send a file in pieces.

        Raises:
            NotFoundError: there is no such evaluation, or it has no report yet.
            InvalidInputError: the format is unknown.
        """
        if request.format not in FILES:
            problem = f"must be one of {', '.join(sorted(set(FILES.values())))}, not {request.format}"
            raise InvalidInputError("no such file", [Violation("format", problem)])
        await self._own(request.evaluation_id)
        data = await asyncio.to_thread(read_file, self._objects, request.evaluation_id, FILES[request.format])
        for start in range(0, len(data), PIECE_BYTES):
            yield pb.GetReportResponse(data=data[start : start + PIECE_BYTES])

    async def CompareReports(  # noqa: N802  # the contract's name
        self, request: pb.CompareReportsRequest, context: Any
    ) -> pb.CompareReportsResponse:
        """Compare the means of two reports.

        Raises:
            NotFoundError: one of them does not exist yet.
        """
        for each in (request.evaluation_id, request.baseline_evaluation_id):
            await self._own(each)
        report = await asyncio.to_thread(_load, self._objects, request.evaluation_id)
        baseline = await asyncio.to_thread(_load, self._objects, request.baseline_evaluation_id)
        differences = [
            pb.MetricDifference(
                benchmark=each.benchmark,
                entrant=each.entrant,
                metric=each.metric,
                mean=each.mean,
                baseline_mean=each.baseline_mean,
            )
            for each in compare_reports(report, baseline)
        ]
        return pb.CompareReportsResponse(differences=differences, same_digest=report.digest == baseline.digest)

    async def TraceAnswers(  # noqa: N802  # the contract's name
        self, request: pb.TraceAnswersRequest, context: Any
    ) -> AsyncIterator[pb.TraceAnswersResponse]:
        """Send the answers to a case with what they rest on.

        Raises:
            NotFoundError: there is no such evaluation, case, benchmark or entrant, or no plan yet.
        """
        traces = await self._traces(request.evaluation_id)
        found = traces.of_case(
            request.case_id,
            benchmark=request.benchmark,
            entrant=request.entrant,
            passages=request.passages or None,
        )
        async for answer in _in_threads(found):
            yield pb.TraceAnswersResponse(answer=codec.traced_answer_to_wire(answer))

    async def FindDocumentUses(  # noqa: N802  # the contract's name
        self, request: pb.FindDocumentUsesRequest, context: Any
    ) -> AsyncIterator[pb.FindDocumentUsesResponse]:
        """Send the passages of a document in answers.

        Raises:
            NotFoundError: there is no such evaluation, or it is not planned yet.
        """
        traces = await self._traces(request.evaluation_id)
        page = request.page if request.HasField("page") else None
        async for use in _in_threads(traces.of_document(request.document_id, page)):
            yield pb.FindDocumentUsesResponse(use=codec.document_use_to_wire(use))

    async def _traces(self, evaluation_id: str) -> Traces:
        await self._own(evaluation_id, NO_PLAN)
        return await asyncio.to_thread(Traces, self._objects, evaluation_id)

    async def _own(self, evaluation_id: str, missing: str = NO_REPORT) -> None:
        """Check that an evaluation exists for who calls: another tenant's does not."""
        missing = missing.format(evaluation_id)
        if not ID.fullmatch(evaluation_id):
            raise NotFoundError(missing)
        await asyncio.to_thread(self._holdings.evaluation, callers.current(), evaluation_id, missing)


async def _in_threads(items: Iterator[T]) -> AsyncIterator[T]:
    """Yield what an iterator gives, which reads from the store, without holding up other calls."""
    end = object()
    while (item := await asyncio.to_thread(next, items, end)) is not end:
        yield cast(T, item)


def read_file(objects: ObjectStore, evaluation_id: str, name: str) -> bytes:
    """Return a file of a report.

    Raises:
        NotFoundError: there is no such evaluation, or it has no report yet.
    """
    missing = NO_REPORT.format(evaluation_id)
    # An id with a slash would name other objects.
    if not ID.fullmatch(evaluation_id):
        raise NotFoundError(missing)
    try:
        item = newest_report(objects, evaluation_id)
        if item is None:
            raise NotFoundError(missing)
        return objects.read_key(object_keys.report(evaluation_id, name, item))
    except NotFoundError as error:
        if name == AGBENCHMARK_FILE and newest_report(objects, evaluation_id) is not None:
            missing = f"the report of {evaluation_id!r} has no {name}: no challenge for agents was judged"
        raise NotFoundError(missing) from error


def newest_report(objects: ObjectStore, evaluation_id: str) -> str | None:
    """Return the item that made the last report; None when there is no report.

    The report itself is written last: the other files count only when it is there.
    """
    keys = (info.key.split("/") for info in objects.list(object_keys.reports(evaluation_id)))
    found = [key[2] for key in keys if len(key) == 4 and key[3] == REPORT_FILE]
    return max(found, key=lambda item: int(item.rpartition("-attempt")[2]) if "-attempt" in item else 1, default=None)


def _load(objects: ObjectStore, evaluation_id: str) -> EvaluationReport:
    return load_report(read_file(objects, evaluation_id, REPORT_FILE))
