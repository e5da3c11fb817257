"""Reports, and what they rest on: scores of cases, answers with their passages, uses of a document."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from bakeoff.client import report_calls as calls
from bakeoff.client.connection import AsyncConnection, Connection
from bakeoff.client.report_calls import USUAL, CaseScore, ReportComparison
from bakeoff.client.whole_files import write_whole
from bakeoff.domain.report import EvaluationReport
from bakeoff.domain.trace import DocumentUse, TracedAnswer
from bakeoff.reporting.load import load_report


class Reports(Connection):
    """Reports, waited for."""

    def report(self, evaluation_id: str) -> EvaluationReport:
        """Return the report of an evaluation.

        Raises:
            NotFoundError: there is no such evaluation, or it has no report yet.
            InvalidInputError: the report is of a version that this one does not know.
        """
        return load_report(b"".join(self.report_file(evaluation_id, "json")))

    def report_file(self, evaluation_id: str, format_name: str) -> Iterator[bytes]:
        """Yield the bytes of a file of a report, in pieces.

        Args:
            evaluation_id: The evaluation.
            format_name: json, html, csv, parquet, trec or agbenchmark.

        Raises:
            NotFoundError: there is no such evaluation, it has no report yet, or its report has no such file.
            InvalidInputError: there is no such format.
        """
        return self._stream(calls.report_file(evaluation_id, format_name))

    def save_report(self, evaluation_id: str, folder: str | Path, formats: Sequence[str] = USUAL) -> list[Path]:
        """Write files of a report to a folder, each whole or not at all; return their paths.

        Raises:
            NotFoundError: as `report_file`.
            InvalidInputError: as `report_file`, or the folder cannot be written.
        """
        return [
            write_whole(Path(folder, calls.file_name(name)), self.report_file(evaluation_id, name)) for name in formats
        ]

    def scores(self, evaluation_id: str) -> list[CaseScore]:
        """Return every metric of every case under every entrant, in the report's order.

        Raises:
            NotFoundError: there is no such evaluation, or it has no report yet.
        """
        return list(calls.read_scores(b"".join(self.report_file(evaluation_id, "csv"))))

    def compare(self, evaluation_id: str, baseline: str) -> ReportComparison:
        """Compare the report of an evaluation with that of another, metric by metric.

        Raises:
            NotFoundError: one of them has no report.
        """
        return self._call(calls.compare(evaluation_id, baseline))

    def trace_case(
        self, evaluation_id: str, case_id: str, *, benchmark: str = "", entrant: str = "", passages: int = 0
    ) -> Iterator[TracedAnswer]:
        """Yield the answers to a case with what they rest on.

        Args:
            evaluation_id: The evaluation.
            case_id: The case.
            benchmark: Only of this one; empty means all.
            entrant: Only of this one; empty means all.
            passages: First passages; 0 means all.

        Raises:
            NotFoundError: there is no such evaluation, case, benchmark or entrant, or no plan yet.
        """
        return self._stream(calls.trace_case(evaluation_id, case_id, benchmark, entrant, passages))

    def document_uses(self, evaluation_id: str, document_id: str, page: int | None = None) -> Iterator[DocumentUse]:
        """Yield the passages of a document in the answers of an evaluation.

        Args:
            evaluation_id: The evaluation.
            document_id: The document.
            page: Only passages that touch this page, from 0; None means any.

        Raises:
            NotFoundError: there is no such evaluation, or it is not planned yet.
        """
        return self._stream(calls.document_uses(evaluation_id, document_id, page))


class AsyncReports(AsyncConnection):
    """Reports, awaited: each method does what its namesake of `Client` does, and raises the same."""

    async def report(self, evaluation_id: str) -> EvaluationReport:
        """Return the report of an evaluation."""
        return load_report(await self._whole(evaluation_id, "json"))

    def report_file(self, evaluation_id: str, format_name: str) -> AsyncIterator[bytes]:
        """Yield the bytes of a file of a report, in pieces."""
        return self._stream(calls.report_file(evaluation_id, format_name))

    async def save_report(self, evaluation_id: str, folder: str | Path, formats: Sequence[str] = USUAL) -> list[Path]:
        """Write files of a report to a folder, each whole or not at all; return their paths."""
        return [
            write_whole(Path(folder, calls.file_name(name)), [await self._whole(evaluation_id, name)])
            for name in formats
        ]

    async def scores(self, evaluation_id: str) -> list[CaseScore]:
        """Return every metric of every case under every entrant, in the report's order."""
        return list(calls.read_scores(await self._whole(evaluation_id, "csv")))

    async def compare(self, evaluation_id: str, baseline: str) -> ReportComparison:
        """Compare the report of an evaluation with that of another, metric by metric."""
        return await self._call(calls.compare(evaluation_id, baseline))

    def trace_case(
        self, evaluation_id: str, case_id: str, *, benchmark: str = "", entrant: str = "", passages: int = 0
    ) -> AsyncIterator[TracedAnswer]:
        """Yield the answers to a case with what they rest on."""
        return self._stream(calls.trace_case(evaluation_id, case_id, benchmark, entrant, passages))

    def document_uses(
        self, evaluation_id: str, document_id: str, page: int | None = None
    ) -> AsyncIterator[DocumentUse]:
        """Yield the passages of a document in the answers of an evaluation."""
        return self._stream(calls.document_uses(evaluation_id, document_id, page))

    async def _whole(self, evaluation_id: str, format_name: str) -> bytes:
        return b"".join([piece async for piece in self.report_file(evaluation_id, format_name)])
