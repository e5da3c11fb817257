"""A whole evaluation in memory, from made-up answers to stored scores: what a report is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.contract import object_keys
from bakeoff.contract.stored import PreparedReader, encode
from bakeoff.contract.stored_answers import encode_answers
from bakeoff.control.planning import Prepared, make_plan
from bakeoff.domain.answer import AnswerBatch, CaseAnswer, Failure
from bakeoff.domain.benchmark import BenchmarkManifest, Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import Download, EvaluationRequest, ObjectRef, Stage
from bakeoff.domain.identity import digest_of
from bakeoff.domain.knowledge import KnowledgeBaseManifest, SkippedDocument
from bakeoff.domain.prepared import PreparedManifest, PreparedUnit, QualityReport
from bakeoff.domain.work import BuildTask, DoneFact, InferTask, ItemOutcome, Plan, ReportTask, ScoreTask, Task
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.scoring.handlers import score
from bakeoff.scoring.registries import evaluators

Says = Callable[[str, Case], CaseAnswer]
"""What an entrant, `recipe/mode`, says to a case."""
EVALUATION = "ev-0123456789abcdef01234567"


@dataclass
class Context:
    """An ItemContext over a store in memory and the facts that are known so far."""

    objects: MemoryObjects = field(default_factory=MemoryObjects)
    known: dict[tuple[Stage, str], DoneFact] = field(default_factory=dict)
    scratch: Path = Path("unused")
    isolated: bool = False
    poisoned: Mapping[str, Failure] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)

    def fact(self, stage: Stage, item: str) -> DoneFact:
        return self.known[(stage, item)]

    def facts(self, stage: Stage) -> list[DoneFact]:
        return [fact for (found, _), fact in sorted(self.known.items()) if found is stage]

    def waiting(self) -> AbstractContextManager[None]:
        return nullcontext()

    def tell_download(self, download: Download) -> None:
        """Nobody follows."""

    def begin(self, case_id: str = "") -> None:
        self.begun.append(case_id)
        if case_id in self.poisoned:
            from bakeoff.runtime.items import PoisonedCaseError

            raise PoisonedCaseError(self.poisoned[case_id])


@dataclass
class Evaluated:
    """An evaluation whose scores are stored; its report is not made yet."""

    plan: Plan
    context: Context
    task: Task
    """The report task."""


def evaluate(
    request: EvaluationRequest,
    cases: Sequence[Case],
    says: Says,
    *,
    methods: Sequence[str],
    exclude_self: bool = False,
    quality: QualityReport | None = None,
    failed_items: Mapping[str, Failure] | None = None,
    evaluation_id: str = EVALUATION,
    name: str = "harbour",
) -> Evaluated:
    """Return an evaluation of one benchmark with one unit, scored by the real scoring handler.

    Args:
        request: Its recipes and options count; its benchmark is made of `cases`.
        cases: What is asked.
        says: What is answered.
        methods: Signatures of the evaluators.
        exclude_self: Whether documents with the case's id are left out.
        quality: What is known of the data.
        failed_items: Items, as `stage/item`, that failed instead of giving a result.
        evaluation_id: Whose evaluation it is.
        name: The benchmark's name.
    """
    context = Context()
    evaluators.load()
    specs = tuple(evaluators.card(spec.name).resolve(spec) for spec in map(ComponentSpec.parse, methods))
    prepared = _prepare(context.objects, request, cases, specs, exclude_self, quality, name)
    plan = make_plan(evaluation_id, request, [prepared], _versions(request, specs))
    order = (Stage.PREPARE, Stage.INGEST, Stage.BUILD, Stage.INFER, Stage.SCORE)
    for item in sorted(plan.items, key=lambda item: order.index(item.task.stage)):
        failure = (failed_items or {}).get(item.name)
        ref = None if failure else _work(item.task, context, says, prepared)
        _end(context, item.task, ref, failure)
    ref = context.objects.create(object_keys.plan(evaluation_id), encode(plan)).ref
    task = Task(evaluation_id, request.tenant, Stage.REPORT, "report", ReportTask(ref))
    return Evaluated(plan, context, task)


def _versions(request: EvaluationRequest, specs: Sequence[ComponentSpec]) -> dict[str, str]:
    versions = {f"evaluator:{spec.name}": "1" for spec in specs}
    for build in (recipe.build for recipe in request.recipes):
        versions |= {f"parser:{build.parser.name}": "1", f"chunker:{build.chunker.name}": "1"}
        versions |= {f"embedder:{build.embedder.name}": "1"} if build.embedder else {}
        versions |= {f"index:{index.name}": "1" for index in build.indexes}
    return versions


def _end(context: Context, task: Task, ref: ObjectRef | None, failure: Failure | None) -> None:
    number = len(context.known)
    context.known[(task.stage, task.item)] = DoneFact(
        task.evaluation_id,
        task.stage,
        task.item,
        ItemOutcome.FAILED if failure else ItemOutcome.DONE,
        ref,
        failure,
        started_at=f"2032-05-01T10:{number // 60 % 60:02d}:{number % 60:02d}Z",
        duration_ms=250.0 + number,
    )


def _prepare(
    objects: MemoryObjects,
    request: EvaluationRequest,
    cases: Sequence[Case],
    specs: tuple[ComponentSpec, ...],
    exclude_self: bool,
    quality: QualityReport | None,
    name: str,
) -> Prepared:
    def put(file: str, noun: object) -> ObjectRef:
        return objects.create(f"prepared/{name}/{file}", encode(noun)).ref

    unit = PreparedUnit("all", digest_of(name), (), 60, 0, len(cases))
    known = quality or QualityReport(60, len(cases), 1, sum(len(case.expected.evidence) for case in cases))
    manifest = PreparedManifest(
        fingerprint=digest_of([name, [case.case_id for case in cases]]),
        benchmark=BenchmarkManifest(name, "1", "test", "retrieval", metadata={"exclude_self": exclude_self}),
        adapter=request.benchmarks[0].adapter,
        adapter_version="1",
        evaluators=specs,
        originals=0,
        documents=60,
        cases=len(cases),
        original_parts=(),
        document_parts=(),
        case_parts=(put("cases.json", tuple(cases)),),
        cases_per_part=len(cases),
        units=put("units.json", (unit,)),
        quality=put("quality.json", known),
    )
    return Prepared(name, put("manifest.json", manifest), manifest, (unit,), specs)


def _work(task: Task, context: Context, says: Says, prepared: Prepared) -> ObjectRef:
    body = task.body
    if isinstance(body, BuildTask):
        manifest = KnowledgeBaseManifest(
            body.kb_id, prepared.name, "test", body.unit_id, digest_of("documents"), body.build, {"bm25s": "0.3.16"},
            60, 200, 40_000, {"index": ObjectRef("kb/index", "0" * 64, 123_456)}, (SkippedDocument("empty", None),),
        )  # fmt: skip
        return context.objects.create(object_keys.kb_manifest(body.kb_id), encode(manifest)).ref
    if isinstance(body, InferTask):
        cases = PreparedReader.open(context.objects, body.prepared).cases(body.cases_start, body.cases_stop)
        answers = tuple(says(str(body.entrant), case) for case in cases)
        batch = AnswerBatch(body.benchmark, body.unit_id, str(body.entrant), body.kb_id, answers)
        return context.objects.create(object_keys.answers(task.evaluation_id, task.item), encode_answers(batch)).ref
    assert isinstance(body, ScoreTask)
    return context.objects.create(object_keys.scores(task.evaluation_id, task.item), score(task, context).data).ref
