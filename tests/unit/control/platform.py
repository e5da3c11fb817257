"""A control process over memory twins, with stages that only say that they are done."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.contract import object_keys, subjects
from bakeoff.contract.stored import decode, encode
from bakeoff.contract.work_codec import done_fact_to_bytes, task_from_bytes
from bakeoff.control.engine import Engine
from bakeoff.control.intake import Intake
from bakeoff.control.steering import Steering
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import BenchmarkManifest
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec, Setting
from bakeoff.domain.evaluation import ObjectRef, Stage
from bakeoff.domain.prepared import PreparedManifest, PreparedUnit, PrepareResult, QualityReport
from bakeoff.domain.work import DoneFact, ItemOutcome, Plan, PrepareTask, ReportTask, Task
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.memory_objects import MemoryObjects

CARDS = (
    ComponentCard(ComponentKind.ADAPTER, "beir", "1", (Setting("path", "path", required=True),)),
    ComponentCard(ComponentKind.PARSER, "auto", "1"),
    ComponentCard(ComponentKind.CHUNKER, "none", "1"),
    ComponentCard(ComponentKind.EMBEDDER, "hashing", "1"),
    ComponentCard(ComponentKind.INDEX, "bm25", "3", (Setting("k1", "float", 1.5),)),
    ComponentCard(ComponentKind.QUERY_ENGINE, "full_text_search", "1", facts={"needs_indexes": ["bm25"]}),
    ComponentCard(ComponentKind.GENERATOR, "extractive", "1"),
    ComponentCard(ComponentKind.EVALUATOR, "recall", "2", (Setting("k", "int", 10),)),
)


@dataclass
class FakePlatform:
    """Everything around an engine."""

    units: int = 1
    cases: int = 5
    """Cases of each unit."""
    fail: dict[str, str] = field(default_factory=dict)
    """Reasons of the items that fail, by `<stage>/<item>`."""
    bus: MemoryBus = field(default_factory=MemoryBus)
    objects: MemoryObjects = field(default_factory=MemoryObjects)
    ran: list[str] = field(default_factory=list)
    """Items that ran, in order."""

    def __post_init__(self) -> None:
        self.engine = Engine(self.bus, self.objects, 64)

    @property
    def intake(self) -> Intake:
        engine = self.engine
        return Intake(self.bus, self.objects, engine.states, engine.catalogue, engine.announcer)

    @property
    def steering(self) -> Steering:
        return Steering(self.engine)

    async def start(self, *, announce: bool = True) -> FakePlatform:
        await self.bus.ensure(subjects.STREAMS, subjects.consumers(30.0), subjects.BUCKETS)
        if announce:
            await self.bus.kv_put(subjects.COMPONENTS_BUCKET, "all", encode(CARDS))
        return self

    async def queued(self, evaluation_id: str) -> list[str]:
        found = await self.bus.subjects(subjects.tasks_of(evaluation_id))
        return sorted("/".join(subjects.item_of(subject)[1:]) for subject in found)

    async def work(self, *stages: Stage, tell: bool = True, at_most: int = 1000) -> int:
        """Do what is queued of some stages, once; return how many items were done."""
        count = 0
        for stage in stages or tuple(Stage):
            for delivery in await self.bus.fetch(subjects.stage_consumer(stage, 30.0), at_most, 0.01):
                task = task_from_bytes(delivery.message.data)
                fact = self.outcome(task)
                self.ran.append(f"{stage.value}/{task.item}")
                await self.bus.publish(
                    subjects.done(task.evaluation_id, stage, task.item), done_fact_to_bytes(fact), first_only=True
                )
                await delivery.ack()
                if tell:
                    await self.engine.note(fact)
                count += 1
        return count

    async def finish(self) -> None:
        """Work until nothing is queued any more."""
        while await self.work():
            pass

    async def plan(self, evaluation_id: str) -> Plan:
        return decode(self.objects.read_key(object_keys.plan(evaluation_id)), Plan)

    def outcome(self, task: Task) -> DoneFact:
        reason = self.fail.get(f"{task.stage.value}/{task.item}")
        if reason:
            failure = Failure(FailureKind.INPUT, reason)
            return DoneFact(task.evaluation_id, task.stage, task.item, ItemOutcome.FAILED, None, failure)
        match task.body:
            case PrepareTask():
                result = self.store(f"{task.evaluation_id}/{task.item}", encode(PrepareResult(self.prepared())))
            case ReportTask():
                result = self.store(object_keys.report(task.evaluation_id, "report.json", task.item), b"{}")
            case _:
                result = self.store(f"{task.evaluation_id}/{task.stage}/{task.item}", b"")
        return DoneFact(task.evaluation_id, task.stage, task.item, ItemOutcome.DONE, result)

    def prepared(self) -> ObjectRef:
        units = tuple(
            PreparedUnit(f"u{number}", f"digest{number}", (), 1, number * self.cases, (number + 1) * self.cases)
            for number in range(self.units)
        )
        nothing = self.store("none", b"[]")
        manifest = PreparedManifest(
            "f" * 64,
            BenchmarkManifest("bench", "1", "test", "retrieval"),
            ComponentSpec("beir", {"path": "x"}),
            "1",
            (ComponentSpec("recall", {"k": 100}),),
            1,
            1,
            self.units * self.cases,
            (nothing,),
            (nothing,),
            (nothing,),
            1000,
            self.store("units", encode(units)),
            self.store("quality", encode(QualityReport(1, self.cases, self.units, 0))),
        )
        return self.store(object_keys.prepared_manifest(manifest.fingerprint), encode(manifest))

    def store(self, key: str, data: bytes) -> ObjectRef:
        return self.objects.create(key, data).ref
