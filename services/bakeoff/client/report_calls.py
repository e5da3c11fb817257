"""Calls of the report service, and what is made of a report's files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bakeoff.client.call import Call, Stream
from bakeoff.contract import codec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.score import Outcome
from bakeoff.domain.trace import DocumentUse, TracedAnswer
from bakeoff.reporting.files import AGBENCHMARK_FILE, CSV_FILE, PAGE_FILE, PARQUET_FILE, REPORT_FILE, TREC_FILE
from bakeoff.v1 import report_service_pb2 as pb
from bakeoff.v1.report_service_pb2_grpc import ReportServiceStub

FILES = {
    "json": REPORT_FILE,
    "html": PAGE_FILE,
    "csv": CSV_FILE,
    "parquet": PARQUET_FILE,
    "trec": TREC_FILE,
    "agbenchmark": AGBENCHMARK_FILE,
}
"""Names of a report's files by format."""
USUAL = ("json", "html", "csv", "parquet", "trec")
"""The formats that every report has."""


@dataclass(frozen=True, slots=True)
class CaseScore:
    """One metric of one case under one entrant: a row of a report's `cases.csv`."""

    benchmark: str
    unit_id: str
    case_id: str
    entrant: str
    """`recipe/mode`."""
    metric: str
    outcome: Outcome
    value: float | None
    """None unless scored."""
    failure_kind: str
    """As in FailureKind; empty unless it failed."""
    reason: str
    """Why it failed or is not applicable; empty when it is scored."""


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """One metric of one entrant and benchmark that two reports have."""

    benchmark: str
    entrant: str
    metric: str
    mean: float | None
    """Headline mean; None when nothing is applicable."""
    baseline_mean: float | None
    """That of the other report."""


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """What differs between two reports."""

    differences: tuple[MetricDifference, ...]
    """By benchmark, entrant and metric; equal means are among them."""
    same_digest: bool
    """Whether the two are the same report."""


def file_name(format_name: str) -> str:
    """Return the name of a report's file.

    Raises:
        InvalidInputError: there is no such format.
    """
    if format_name not in FILES:
        problem = f"must be one of {', '.join(FILES)}, not {format_name!r}"
        raise InvalidInputError("a report has no such file", [Violation("format_name", problem)])
    return FILES[format_name]


def report_file(evaluation_id: str, format_name: str) -> Stream[bytes]:
    """Return the call that gets a file of a report.

    Raises:
        InvalidInputError: there is no such format.
    """
    file_name(format_name)
    number = pb.ReportFormat.Value(f"REPORT_FORMAT_{format_name.upper()}")
    message = pb.GetReportRequest(evaluation_id=evaluation_id, format=number)
    return Stream(ReportServiceStub, "GetReport", message, lambda piece: bytes(piece.data))


def compare(evaluation_id: str, baseline: str) -> Call[ReportComparison]:
    """Return the call that compares two reports."""

    def read(answer: Any) -> ReportComparison:
        differences = (
            MetricDifference(
                each.benchmark,
                each.entrant,
                each.metric,
                each.mean if each.HasField("mean") else None,
                each.baseline_mean if each.HasField("baseline_mean") else None,
            )
            for each in answer.differences
        )
        return ReportComparison(tuple(differences), answer.same_digest)

    message = pb.CompareReportsRequest(evaluation_id=evaluation_id, baseline_evaluation_id=baseline)
    return Call(ReportServiceStub, "CompareReports", message, read)


def trace_case(evaluation_id: str, case_id: str, benchmark: str, entrant: str, passages: int) -> Stream[TracedAnswer]:
    """Return the call that traces the answers to a case."""
    message = pb.TraceAnswersRequest(
        evaluation_id=evaluation_id, case_id=case_id, benchmark=benchmark, entrant=entrant, passages=passages
    )
    return Stream(
        ReportServiceStub, "TraceAnswers", message, lambda response: codec.traced_answer_from_wire(response.answer)
    )


def document_uses(evaluation_id: str, document_id: str, page: int | None) -> Stream[DocumentUse]:
    """Return the call that finds the answers that used a document."""
    message = pb.FindDocumentUsesRequest(evaluation_id=evaluation_id, document_id=document_id, page=page)
    return Stream(
        ReportServiceStub, "FindDocumentUses", message, lambda response: codec.document_use_from_wire(response.use)
    )


def read_scores(data: bytes, name: str = "cases.csv") -> Iterator[CaseScore]:
    """Read the rows of a `cases.csv`, one after the other.

    Args:
        data: Its bytes.
        name: How it is called in errors.

    Raises:
        InvalidInputError: it is none.
    """
    csv.field_size_limit(max(csv.field_size_limit(), len(data)))  # a reason may be of any length
    try:
        for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")):
            yield CaseScore(
                row["benchmark"],
                row["unit"],
                row["case"],
                row["entrant"],
                row["metric"],
                Outcome(row["outcome"]),
                float(row["value"]) if row["value"] else None,
                row["failure_kind"],
                row["reason"],
            )
    except (KeyError, ValueError, csv.Error) as error:
        raise InvalidInputError(f"{name} is no table of a report's cases: {error}") from None
