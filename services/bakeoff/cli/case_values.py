"""What the cases of a report count as beside those of another one, from its `cases.csv`."""

from __future__ import annotations

import math
from pathlib import Path

from bakeoff.client.report_calls import CaseScore, read_scores
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.report import EvaluationReport
from bakeoff.domain.score import Score
from bakeoff.reporting.between_reports import CaseName, Values
from bakeoff.reporting.counting import counted_mean, headline_value, paired_value

TOLERANCE = 1e-9
"""Between a mean of the report and that of the table."""
Name = tuple[str, str, str]
"""A benchmark, an entrant and a metric."""


def case_values(file: Path, report: EvaluationReport) -> Values:
    """Read the values of all cases.

    Args:
        file: The report's `cases.csv`.
        report: The report, which says what a failed case counts as.

    Raises:
        InvalidInputError: the file cannot be read, or is that of another report.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from None
    cards = {(benchmark.name, card.name): card for benchmark in report.benchmarks for card in benchmark.metrics}
    values: dict[Name, dict[CaseName, float | None]] = {}
    headline: dict[Name, list[float | None]] = {}
    try:
        for row in read_scores(data, str(file)):
            card = cards.get((row.benchmark, row.metric))
            if card is None:
                raise _other(file, f"has no metric {row.metric!r} of benchmark {row.benchmark!r}")
            score, name = _score(row), (row.benchmark, row.entrant, row.metric)
            values.setdefault(name, {})[row.unit_id, row.case_id] = paired_value(score, card)
            headline.setdefault(name, []).append(headline_value(score, card))
    except ValueError as error:
        raise InvalidInputError(f"{file} is no table of a report's cases: {error}") from None
    _check(file, report, headline)
    return values


def _check(file: Path, report: EvaluationReport, headline: dict[Name, list[float | None]]) -> None:
    """Look whether a table has the cases and the means of a report: another one beside it would give wrong numbers."""
    for entrant in report.entrants:
        for summary in entrant.metrics:
            found = headline.get((entrant.benchmark, entrant.entrant, summary.metric), [])
            of = f"{summary.metric} of {entrant.entrant} on {entrant.benchmark}"
            if len(found) != summary.planned:
                raise _other(file, f"has {summary.planned:,} cases of {of}, not {len(found):,}")
            mean = counted_mean(found)
            if (mean is None) != (summary.mean is None) or not math.isclose(
                mean or 0.0, summary.mean or 0.0, rel_tol=TOLERANCE, abs_tol=TOLERANCE
            ):
                raise _other(file, f"has a mean of {summary.mean} for {of}, not {mean}")


def _other(file: Path, what: str) -> InvalidInputError:
    return InvalidInputError(f"{file} is not the table of the report beside it, which {what}")


def _score(row: CaseScore) -> Score:
    failure = Failure(FailureKind(row.failure_kind), row.reason) if row.failure_kind else None
    return Score(row.metric, row.outcome, row.value, failure=failure)
