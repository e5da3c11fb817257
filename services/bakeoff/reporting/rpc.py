"""The RPCs of the reporting service."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

from bakeoff.contract import object_keys
from bakeoff.domain.errors import InvalidInputError, NotFoundError, Violation
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.compare import compare_reports
from bakeoff.reporting.files import CSV_FILE, PAGE_FILE, PARQUET_FILE, REPORT_FILE, TREC_FILE
from bakeoff.reporting.load import load_report
from bakeoff.runtime.objects import ObjectStore
from bakeoff.v1 import report_service_pb2 as pb
from bakeoff.v1.report_service_pb2_grpc import ReportServiceServicer

PIECE_BYTES = 1 << 20
ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
FILES = {
    pb.REPORT_FORMAT_UNSPECIFIED: REPORT_FILE,
    pb.REPORT_FORMAT_JSON: REPORT_FILE,
    pb.REPORT_FORMAT_HTML: PAGE_FILE,
    pb.REPORT_FORMAT_CSV: CSV_FILE,
    pb.REPORT_FORMAT_PARQUET: PARQUET_FILE,
    pb.REPORT_FORMAT_TREC: TREC_FILE,
}


class ReportRpc(ReportServiceServicer):
    """Serves the files of finished evaluations."""

    def __init__(self, objects: ObjectStore) -> None:
        """Serve what a store holds."""
        self._objects = objects

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


def read_file(objects: ObjectStore, evaluation_id: str, name: str) -> bytes:
    """Return a file of a report.

    Raises:
        NotFoundError: there is no such evaluation, or it has no report yet.
    """
    missing = f"evaluation {evaluation_id!r} has no report: it does not exist, or has not finished"
    # An id with a slash would name other objects.
    if not ID.fullmatch(evaluation_id):
        raise NotFoundError(missing)
    try:
        # The report itself is written last: the other files count only when it is there.
        if name != REPORT_FILE and objects.stat(object_keys.report(evaluation_id, REPORT_FILE)) is None:
            raise NotFoundError(missing)
        return objects.read_key(object_keys.report(evaluation_id, name))
    except NotFoundError as error:
        raise NotFoundError(missing) from error


def _load(objects: ObjectStore, evaluation_id: str) -> EvaluationReport:
    return load_report(read_file(objects, evaluation_id, REPORT_FILE))
