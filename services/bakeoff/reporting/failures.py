"""Which cases failed, and why."""

from __future__ import annotations

from bakeoff.domain.answer import Failure
from bakeoff.domain.report import FailureGroup
from bakeoff.reporting.material import BenchmarkMaterial, CaseOutcome, EntrantMaterial

EXAMPLES = 5


def failure_of(outcome: CaseOutcome) -> Failure | None:
    """Return why a case failed: its answer's failure, else the first of its scores'; None when it did not."""
    if outcome.failure:
        return outcome.failure
    return next((score.failure for score in outcome.scores if score.failure), None)


def failed_cases(entrant: EntrantMaterial) -> dict[int, Failure]:
    """Return the failures of an entrant by the number of the case."""
    failures = ((number, failure_of(outcome)) for number, outcome in enumerate(entrant.outcomes))
    return {number: failure for number, failure in failures if failure}


def failure_groups(benchmark: BenchmarkMaterial, entrant: EntrantMaterial) -> list[FailureGroup]:
    """Return an entrant's failures by kind and reason, most frequent first."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for number, failure in failed_cases(entrant).items():
        numbers.setdefault((failure.kind.value, failure.reason), []).append(number)
    groups = [
        FailureGroup(
            benchmark.name,
            entrant.name,
            kind,
            reason,
            len(found),
            tuple(benchmark.cases[number].case.case_id for number in found[:EXAMPLES]),
        )
        for (kind, reason), found in numbers.items()
    ]
    return sorted(groups, key=lambda group: (-group.cases, group.kind, group.reason))
