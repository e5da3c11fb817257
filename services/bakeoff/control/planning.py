"""From a request and its prepared benchmarks to the plan: every item, and so every denominator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bakeoff.control.opponents import with_opponents, with_opponents_answers
from bakeoff.control.planned_versions import with_versions
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import EvaluationRequest, ObjectRef, Stage
from bakeoff.domain.knowledge import KnowledgeBaseIdentity
from bakeoff.domain.prepared import PreparedManifest, PreparedUnit
from bakeoff.domain.recipe import BuildPart, Entrant, QueryMode, Recipe
from bakeoff.domain.work import (
    BuildTask,
    InferTask,
    IngestTask,
    Plan,
    PlanItem,
    PlannedBenchmark,
    PrepareTask,
    ReportTask,
    ScoreTask,
    Task,
    TaskBody,
)

TEXT_RANKS = 10
"""First ranks whose texts are kept, unless evidence is told by its words: then all."""
REPORT_ITEM = "report"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A benchmark after `prepare`."""

    name: str
    """Name in the report."""
    ref: ObjectRef
    manifest: PreparedManifest
    units: tuple[PreparedUnit, ...]
    evaluators: tuple[ComponentSpec, ...]
    """The methods that score it, with all settings filled in."""


def prepare_items(evaluation_id: str, request: EvaluationRequest) -> tuple[PlanItem, ...]:
    """Return the items that come before the plan: one a benchmark; none for a re-scoring, which finds them prepared."""
    if request.rescoring is not None:
        return ()
    return tuple(
        PlanItem(Task(evaluation_id, request.tenant, Stage.PREPARE, f"b{number}", PrepareTask(choice)))
        for number, choice in enumerate(request.benchmarks)
    )


def make_plan(
    evaluation_id: str, request: EvaluationRequest, prepared: Sequence[Prepared], versions: dict[str, str]
) -> Plan:
    """Return the plan of an evaluation; equal inputs give equal plans.

    Args:
        evaluation_id: Whose plan it is.
        request: With all settings filled in.
        prepared: One for each benchmark of the request, in its order.
        versions: Version of every component, by `kind:name`.

    Raises:
        InvalidInputError: two benchmarks have one name, or an evaluator compares with an entrant that there is not.
    """
    names = [benchmark.name for benchmark in prepared]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInputError(f"two benchmarks are named {name!r}; give one of them another name")
    planner = _Planner(evaluation_id, request, versions)
    prepared = [replace(each, evaluators=with_opponents(each.evaluators, request.recipes)) for each in prepared]
    for number, benchmark in enumerate(prepared):
        planner.add(number, benchmark)
    # The report is planned last: it needs every score, and holds its own refs only through the plan's key.
    return Plan(
        evaluation_id,
        request,
        tuple(
            PlannedBenchmark(
                each.name,
                each.ref,
                each.evaluators,
                len(each.units),
                sum(unit.cases_stop - unit.cases_start for unit in each.units),
            )
            for each in prepared
        ),
        with_opponents_answers(planner.items),
        versions,
    )


def report_item(plan: Plan, ref: ObjectRef) -> PlanItem:
    """Return the last item: the report, which needs every score. It is not in the plan, whose digest it names."""
    needs = tuple(item.name for item in plan.items if item.task.stage is Stage.SCORE)
    item = report_name(plan).partition("/")[2]
    return PlanItem(Task(plan.evaluation_id, plan.request.tenant, Stage.REPORT, item, ReportTask(ref)), needs)


def report_name(plan: Plan) -> str:
    """Return `<stage>/<item>` of the report of a plan; each attempt makes its own."""
    later = f"-attempt{plan.attempt}" if plan.attempt > 1 else ""
    return f"{Stage.REPORT.value}/{REPORT_ITEM}{later}"


def items_to_do(plan: Plan, ref: ObjectRef) -> tuple[PlanItem, ...]:
    """Return the items that an evaluation does once its plan is written: all, and the report.

    Of a re-scoring these are scores and report alone: whatever happens to facts, its questions are never asked. Each
    says which versions of components it is done with.

    Args:
        plan: The plan.
        ref: Where it is stored.
    """
    items = plan.items
    if plan.request.rescoring is not None:
        items = tuple(item for item in items if item.task.stage is Stage.SCORE)
    return (*with_versions(items, plan.versions), report_item(plan, ref))


class _Planner:
    def __init__(self, evaluation_id: str, request: EvaluationRequest, versions: dict[str, str]) -> None:
        self._evaluation_id = evaluation_id
        self._request = request
        self._versions = versions
        self._built: set[str] = set()
        self.items: list[PlanItem] = []

    def add(self, number: int, benchmark: Prepared) -> None:
        asking = [recipe.name for recipe in self._request.recipes if recipe.query]
        if asking and not benchmark.manifest.documents:
            raise InvalidInputError(
                f"benchmark {benchmark.name!r} has no documents, but the recipe {asking[0]!r} queries a knowledge "
                "base; leave `query` out of recipes that answer without one"
            )
        ingest = [f"b{number}-p{part:05d}" for part in range(len(benchmark.manifest.original_parts))]
        for part, item in enumerate(ingest):
            self._item(Stage.INGEST, item, IngestTask(benchmark.ref, part))
        for recipe_number, recipe in enumerate(self._request.recipes):
            for unit_number, unit in enumerate(benchmark.units):
                kb_id = self._build(benchmark, unit, recipe, ingest) if recipe.query else ""
                for mode_number, mode in enumerate(recipe.modes):
                    prefix = f"b{number}-u{unit_number:05d}-r{recipe_number}m{mode_number}"
                    self._ask(benchmark, unit, recipe, mode, kb_id, prefix)

    def _build(self, benchmark: Prepared, unit: PreparedUnit, recipe: Recipe, ingest: list[str]) -> str:
        versions = build_versions(recipe.build, self._versions)
        kb_id = KnowledgeBaseIdentity(unit.documents_digest, recipe.build, versions).kb_id
        if kb_id not in self._built:
            self._built.add(kb_id)
            body = BuildTask(benchmark.ref, unit.unit_id, kb_id, recipe.build, versions, tuple(ingest))
            self._item(Stage.BUILD, kb_id, body, tuple(f"ingest/{item}" for item in ingest))
        return kb_id

    def _ask(
        self, benchmark: Prepared, unit: PreparedUnit, recipe: Recipe, mode: QueryMode | None, kb_id: str, prefix: str
    ) -> None:
        seed = self._request.options.seed
        entrant = Entrant.of(recipe, mode)
        top_k = mode.top_k if mode else 0
        text_ranks = top_k if benchmark.manifest.needs_texts else min(TEXT_RANKS, top_k)
        needs = (f"build/{kb_id}",) if mode else ()
        for start, stop in batches(unit.cases_start, unit.cases_stop, self._request.options.batch_cases):
            item = f"{prefix}-c{start:07d}"
            infer = InferTask(
                benchmark.ref,
                benchmark.name,
                unit.unit_id,
                entrant,
                kb_id,
                kb_id,
                start,
                stop,
                mode,
                recipe.answer,
                seed,
                text_ranks,
            )
            self._item(Stage.INFER, item, infer, needs, stop - start)
            score = ScoreTask(
                benchmark.ref, benchmark.name, unit.unit_id, entrant, start, stop, item, benchmark.evaluators, seed
            )
            self._item(Stage.SCORE, item, score, (f"infer/{item}",), stop - start)

    def _item(self, stage: Stage, item: str, body: TaskBody, needs: tuple[str, ...] = (), cases: int = 0) -> None:
        self.items.append(PlanItem(Task(self._evaluation_id, self._request.tenant, stage, item, body), needs, cases))


def build_versions(build: BuildPart, versions: dict[str, str]) -> dict[str, str]:
    """Return the versions of a build part's components, by `kind:name`."""
    specs = [("parser", build.parser), ("chunker", build.chunker)]
    specs += [("embedder", build.embedder)] if build.embedder else []
    specs += [("index", index) for index in build.indexes]
    return {f"{kind}:{spec.name}": versions[f"{kind}:{spec.name}"] for kind, spec in specs}


def batches(start: int, stop: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of at most `size` that make up `[start, stop)`."""
    for first in range(start, stop, size):
        yield first, min(first + size, stop)
