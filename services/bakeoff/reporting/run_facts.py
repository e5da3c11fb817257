"""What differs from run to run: times, latencies, what models took, and the words of failures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from bakeoff.domain.evaluation import Stage
from bakeoff.domain.report import EntrantRun, RunFacts, StageTime
from bakeoff.domain.work import DoneFact
from bakeoff.reporting.build_steps import build_steps
from bakeoff.reporting.failures import failure_groups
from bakeoff.reporting.judging import judge_usages
from bakeoff.reporting.material import EntrantMaterial, Material
from bakeoff.reporting.percentiles import percentiles
from bakeoff.reporting.usage import usage_facts

RANKS = (50, 90, 99)
REASONS = 20
"""Groups of failures that a report names for each entrant; kinds are always counted in full."""


def run_facts(material: Material) -> RunFacts:
    """Return the times of an evaluation, up to its report.

    `submitted_at` is when its first item was taken in hand, and `finished_at` when its last one ended: the facts of
    items are all that a report knows, so that it is the same whenever it is made. Of a re-scoring both are told of
    what it did itself; the stages that it took over keep the times that they took when the answers were made.
    """
    own = (Stage.SCORE,) if material.plan.request.rescoring else tuple(material.facts)
    facts = [fact for stage in own for fact in material.facts[stage]]
    bases = material.knowledge_bases
    usage = {name: usage_facts(entrants, bases) for name, entrants in _by_entrant(material).items()}
    return RunFacts(
        evaluation_id=material.plan.evaluation_id,
        submitted_at=min((fact.started_at for fact in facts if fact.started_at), default=""),
        finished_at=_text(max((end for end in map(_end, facts) if end), default=None)),
        stages=tuple(_stage_time(stage, found) for stage, found in material.facts.items() if found),
        latency_ms={name: _latencies(entrants) for name, entrants in _by_entrant(material).items()},
        failures=tuple(
            group
            for benchmark in material.benchmarks
            for entrant in benchmark.entrants
            for group in failure_groups(benchmark, entrant)[:REASONS]
        ),
        usage={name: facts for name, facts in usage.items() if facts},
        judging=judge_usages(material),
        building=build_steps(material.facts.get(Stage.BUILD, ())),
        by_benchmark=tuple(
            EntrantRun(benchmark.name, entrant.name, _latencies([entrant]), usage_facts([entrant], bases))
            for benchmark in material.benchmarks
            for entrant in benchmark.entrants
        ),
    )


def _start(fact: DoneFact) -> datetime | None:
    return datetime.fromisoformat(fact.started_at) if fact.started_at else None


def _end(fact: DoneFact) -> datetime | None:
    start = _start(fact)
    return start + timedelta(milliseconds=fact.duration_ms) if start else None


def _text(moment: datetime | None) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if moment else ""


def _stage_time(stage: Stage, facts: Sequence[DoneFact]) -> StageTime:
    starts = [start for start in map(_start, facts) if start]
    ends = [end for end in map(_end, facts) if end]
    wall_s = (max(ends) - min(starts)).total_seconds() if starts else 0.0
    return StageTime(stage.value, len(facts), math.fsum(fact.duration_ms for fact in facts) / 1000, wall_s)


def _by_entrant(material: Material) -> dict[str, list[EntrantMaterial]]:
    """Return each entrant on all benchmarks, by its name."""
    found: dict[str, list[EntrantMaterial]] = {}
    for benchmark in material.benchmarks:
        for entrant in benchmark.entrants:
            found.setdefault(entrant.name, []).append(entrant)
    return found


def _latencies(entrants: Sequence[EntrantMaterial]) -> dict[str, float]:
    timings = [outcome.timing for each in entrants for outcome in each.outcomes]
    retrieve = [each.retrieve_ms for each in timings if each.retrieve_ms is not None]
    generate = [each.generate_ms for each in timings if each.generate_ms is not None]
    return percentiles("retrieve", retrieve, RANKS) | percentiles("generate", generate, RANKS)
