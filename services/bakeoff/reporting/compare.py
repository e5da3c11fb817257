"""Two reports side by side, metric by metric."""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.domain.report import EvaluationReport


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """One metric of one entrant and benchmark that both reports have."""

    benchmark: str
    entrant: str
    metric: str
    mean: float | None
    """Headline mean; None when nothing is applicable."""
    baseline_mean: float | None
    """Headline mean in the baseline; None when nothing is applicable."""

    @property
    def difference(self) -> float | None:
        """Mean minus baseline mean; None when either is missing."""
        if self.mean is None or self.baseline_mean is None:
            return None
        return self.mean - self.baseline_mean


def compare_reports(report: EvaluationReport, baseline: EvaluationReport) -> tuple[MetricDifference, ...]:
    """Return the metrics that both reports have, in the report's order."""
    known = _means(baseline)
    return tuple(MetricDifference(*name, mean, known[name]) for name, mean in _means(report).items() if name in known)


def _means(report: EvaluationReport) -> dict[tuple[str, str, str], float | None]:
    return {
        (entrant.benchmark, entrant.entrant, summary.metric): summary.mean
        for entrant in report.entrants
        for summary in entrant.metrics
    }
