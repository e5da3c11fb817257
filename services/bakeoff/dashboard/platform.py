"""What the dashboard asks of a platform; the asynchronous client can do all of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from bakeoff.domain.evaluation import EvaluationStatus
from bakeoff.domain.report import EvaluationReport
from bakeoff.domain.score import Outcome
from bakeoff.domain.trace import TracedAnswer


class CaseScore(Protocol):
    """One metric of one case under one entrant."""

    @property
    def benchmark(self) -> str:
        """Benchmark."""

    @property
    def case_id(self) -> str:
        """Case."""

    @property
    def entrant(self) -> str:
        """`recipe/mode`."""

    @property
    def metric(self) -> str:
        """Metric."""

    @property
    def outcome(self) -> Outcome:
        """How it ended."""

    @property
    def value(self) -> float | None:
        """None unless scored."""

    @property
    def reason(self) -> str:
        """Why it failed or is not applicable; empty when it is scored."""


class Platform(Protocol):
    """Where evaluations are. Methods raise the errors of the domain."""

    async def get(self, evaluation_id: str) -> EvaluationStatus:
        """Return an evaluation as it stands."""

    def evaluations(self, tenant: str = "") -> AsyncIterator[EvaluationStatus]:
        """Yield evaluations without their progress, newest first."""

    def watch(self, evaluation_id: str) -> AsyncIterator[EvaluationStatus]:
        """Yield an evaluation as it stands, and after each change, until it ended."""

    async def report(self, evaluation_id: str) -> EvaluationReport:
        """Return a report."""

    def report_file(self, evaluation_id: str, format_name: str) -> AsyncIterator[bytes]:
        """Yield the bytes of a file of a report."""

    async def scores(self, evaluation_id: str) -> Sequence[CaseScore]:
        """Return every metric of every case under every entrant."""

    def trace_case(
        self, evaluation_id: str, case_id: str, *, benchmark: str = "", entrant: str = "", passages: int = 0
    ) -> AsyncIterator[TracedAnswer]:
        """Yield the answers to a case with what they rest on."""

    def original(self, raw_key: str, start: int = 0, length: int = 0) -> AsyncIterator[bytes]:
        """Yield the bytes of an original document."""
