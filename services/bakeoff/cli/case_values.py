"""What the cases of a report count as beside those of another one, from its `cases.csv`."""

from __future__ import annotations

from pathlib import Path

from bakeoff.client.report_calls import CaseScore, read_scores
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.report import EvaluationReport
from bakeoff.domain.score import Score
from bakeoff.reporting.between_reports import CaseName, Values
from bakeoff.reporting.counting import paired_value


def case_values(file: Path, report: EvaluationReport) -> Values:
    """Read the values of all cases.

    Args:
        file: The report's `cases.csv`.
        report: The report, which says what a failed case counts as.

    Raises:
        InvalidInputError: the file cannot be read, or is that of another report.
    """
    try:
        rows = read_scores(file.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from None
    except (KeyError, ValueError) as error:
        raise InvalidInputError(f"{file} is no table of a report's cases: {error}") from None
    cards = {(benchmark.name, card.name): card for benchmark in report.benchmarks for card in benchmark.metrics}
    values: dict[tuple[str, str, str], dict[CaseName, float | None]] = {}
    for row in rows:
        card = cards.get((row.benchmark, row.metric))
        if card is None:
            what = f"metric {row.metric!r} of benchmark {row.benchmark!r}"
            raise InvalidInputError(f"{file} is not the table of the report beside it, which has no {what}")
        of = values.setdefault((row.benchmark, row.entrant, row.metric), {})
        of[row.unit_id, row.case_id] = paired_value(_score(row), card)
    return values


def _score(row: CaseScore) -> Score:
    failure = Failure(FailureKind(row.failure_kind), row.reason) if row.failure_kind else None
    return Score(row.metric, row.outcome, row.value, failure=failure)
