"""The table of all scores: a row for each benchmark, case, entrant and metric."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.domain.score import Score
from bakeoff.reporting.material import Material

COLUMNS = ("benchmark", "unit", "case", "entrant", "metric", "outcome", "value", "failure_kind", "reason")
Row = tuple[str, str, str, str, str, str, float | None, str, str]


def rows(material: Material) -> Iterator[Row]:
    """Yield the rows by benchmark, entrant, case and metric, in the report's order.

    `value` is None unless the outcome is `scored`; `failure_kind` and `reason` are empty unless there is one.
    """
    for benchmark in material.benchmarks:
        for entrant in benchmark.entrants:
            for planned, outcome in zip(benchmark.cases, entrant.outcomes, strict=True):
                for score in outcome.scores:
                    yield (
                        benchmark.name,
                        planned.unit_id,
                        planned.case.case_id,
                        entrant.name,
                        score.metric,
                        score.outcome.value,
                        score.value,
                        *_why(score),
                    )


def _why(score: Score) -> tuple[str, str]:
    if score.failure:
        return score.failure.kind.value, score.failure.reason
    return "", score.reason
