"""Reading what an evaluation left in the object store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bakeoff.contract.stored import PreparedReader, decode
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import Stage
from bakeoff.domain.identity import key_segment
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.prepared import QualityReport
from bakeoff.domain.recipe import Entrant
from bakeoff.domain.retrieval import excludes_self
from bakeoff.domain.score import MetricCard, ScoreBatch
from bakeoff.domain.work import BuildTask, DoneFact, InferTask, Plan, PlannedBenchmark, ScoreTask
from bakeoff.reporting.entrants import ReadItem, read_entrant
from bakeoff.reporting.material import BenchmarkMaterial, KnowledgeBaseMaterial, Material, PlannedCase
from bakeoff.runtime.items import ItemContext

UNRECORDED = Failure(FailureKind.INFRASTRUCTURE, "the item ended without a result, for a reason that was not recorded")


def gather(plan: Plan, context: ItemContext) -> Material:
    """Read the material of a report, one item at a time.

    Raises:
        InvalidInputError: the items of the plan are not its cases, or a stored object is not what it should be.
        NotFoundError: an object that a fact names is not there.
    """
    facts: dict[Stage, list[DoneFact]] = {
        stage: _facts(plan, stage, context) for stage in Stage if stage is not Stage.REPORT
    }
    versions: dict[str, set[str]] = {}
    benchmarks = tuple(_benchmark(plan, planned, facts, context, versions) for planned in plan.benchmarks)
    return Material(
        plan,
        benchmarks,
        _knowledge_bases(plan, facts[Stage.BUILD], context),
        facts,
        {library: ", ".join(sorted(each)) for library, each in sorted(versions.items())},
    )


def _facts(plan: Plan, stage: Stage, context: ItemContext) -> list[DoneFact]:
    """Return how the items of a stage ended, without those of earlier attempts that were done again."""
    found = context.facts(stage)
    if stage is Stage.PREPARE:  # comes before the plan
        return found
    planned = {item.task.item for item in plan.items if item.task.stage is stage}
    return [fact for fact in found if fact.item in planned]


def _benchmark(
    plan: Plan,
    planned: PlannedBenchmark,
    facts: Mapping[Stage, list[DoneFact]],
    context: ItemContext,
    versions: dict[str, set[str]],
) -> BenchmarkMaterial:
    context.begin()
    reader = PreparedReader.open(context.objects, planned.prepared)
    items = _score_items(plan, planned.name, facts, context)
    for item in items:
        if isinstance(item.scores, ScoreBatch):
            for library, version in item.scores.versions.items():
                versions.setdefault(library, set()).add(version)
    metrics = _metrics(planned, items, plan.versions)
    cases = _cases(reader, planned, items)
    entrants = tuple(
        read_entrant(
            recipe,
            Entrant.of(recipe, mode).mode,
            _items_of(items, planned, Entrant.of(recipe, mode)),
            metrics,
            cases,
            context,
            _asked(plan, planned.name, Entrant.of(recipe, mode)),
            exclude_self=excludes_self(reader.manifest.benchmark),
        )
        for recipe in plan.request.recipes
        for mode in recipe.modes
    )
    return BenchmarkMaterial(
        planned.name,
        reader.manifest,
        decode(context.objects.read(reader.manifest.quality), QualityReport),
        metrics,
        tuple(cases.values()),
        planned.units,
        entrants,
    )


def _score_items(
    plan: Plan, benchmark: str, facts: Mapping[Stage, list[DoneFact]], context: ItemContext
) -> list[ReadItem]:
    scored = {fact.item: fact for fact in facts[Stage.SCORE]}
    asked = {fact.item: fact for fact in facts[Stage.INFER]}
    items = []
    for planned in plan.items:
        body = planned.task.body
        if isinstance(body, ScoreTask) and body.benchmark == benchmark:
            fact = scored.get(planned.task.item)
            scores: ScoreBatch | Failure = fact.failure or UNRECORDED if fact else UNRECORDED
            if fact and fact.result:
                scores = decode(context.objects.read(fact.result), ScoreBatch)
            items.append(ReadItem(body, asked.get(body.infer_item), scores))
    return sorted(items, key=lambda item: item.body.cases_start)


def _asked(plan: Plan, benchmark: str, entrant: Entrant) -> tuple[str, ...]:
    """Return the ids of the knowledge bases that an entrant asks, each once, in the plan's order."""
    bodies = (item.task.body for item in plan.items)
    return tuple(
        dict.fromkeys(
            body.kb_id
            for body in bodies
            if isinstance(body, InferTask) and (body.benchmark, body.entrant) == (benchmark, entrant) and body.kb_id
        )
    )


def _items_of(items: Sequence[ReadItem], planned: PlannedBenchmark, entrant: Entrant) -> list[ReadItem]:
    chosen = [item for item in items if item.body.entrant == entrant]
    count = sum(item.body.cases_stop - item.body.cases_start for item in chosen)
    if count != planned.cases:
        raise InvalidInputError(
            f"benchmark {planned.name!r}: the plan's items ask {entrant} {count} cases, not {planned.cases}"
        )
    return chosen


def _metrics(
    planned: PlannedBenchmark, items: Sequence[ReadItem], versions: Mapping[str, str]
) -> tuple[MetricCard, ...]:
    scored = [item.scores.metrics for item in items if isinstance(item.scores, ScoreBatch)]
    for metrics in scored:
        if metrics != scored[0]:
            raise InvalidInputError(
                f"benchmark {planned.name!r}: its cases were not all scored by the same evaluators: {_told(scored[0])} "
                f"and {_told(metrics)}; score the evaluation anew"
            )
    if scored:
        return scored[0]
    # Nothing was scored: every method stands for its metrics, so that the failed cases are still counted.
    return tuple(
        MetricCard(str(spec), str(spec), versions.get(f"evaluator:{spec.name}", "")) for spec in planned.evaluators
    )


def _told(metrics: Sequence[MetricCard]) -> str:
    return ", ".join(dict.fromkeys(f"{card.evaluator} version {card.version}" for card in metrics))


def _cases(reader: PreparedReader, planned: PlannedBenchmark, items: Sequence[ReadItem]) -> dict[int, PlannedCase]:
    """Return the planned cases by their place in the prepared order."""
    units: dict[int, str] = {}
    for item in items:
        for place in range(item.body.cases_start, item.body.cases_stop):
            units[place] = item.body.unit_id
    last = max(units, default=-1)
    read = [case for place, case in enumerate(reader.cases(0, last + 1)) if place in units]
    if len(read) != planned.cases:
        raise InvalidInputError(
            f"benchmark {planned.name!r}: the plan's items cover {len(read)} cases, not {planned.cases}"
        )
    several = len({case.case_id for case in read}) < len(read)
    return {
        # The encoded unit holds no space, so no two cases share a name.
        place: PlannedCase(
            units[place], case, f"{key_segment(units[place])} {case.case_id}" if several else case.case_id
        )
        for place, case in zip(sorted(units), read, strict=True)
    }


def _knowledge_bases(plan: Plan, facts: Sequence[DoneFact], context: ItemContext) -> tuple[KnowledgeBaseMaterial, ...]:
    built = {fact.item: fact for fact in facts}
    benchmarks = {planned.prepared.key: planned.name for planned in reversed(plan.benchmarks)}
    found: dict[str, KnowledgeBaseMaterial] = {}
    for item in plan.items:
        body = item.task.body
        if isinstance(body, BuildTask) and body.kb_id not in found:
            fact = built.get(item.task.item)
            manifest = None
            if fact and fact.result:
                manifest = decode(context.objects.read(fact.result), KnowledgeBaseManifest)
            benchmark = benchmarks.get(body.prepared.key, "")
            found[body.kb_id] = KnowledgeBaseMaterial(body.kb_id, benchmark, body.unit_id, body.build, manifest)
    return tuple(found.values())
