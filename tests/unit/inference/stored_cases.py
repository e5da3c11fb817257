"""A prepared benchmark with a few cases in a store in memory, and what an infer handler is given."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.contract import object_keys, stored
from bakeoff.domain.answer import Failure
from bakeoff.domain.benchmark import BenchmarkManifest, Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import CancelledItemError, NotFoundError
from bakeoff.domain.evaluation import Download, ObjectRef, Stage
from bakeoff.domain.prepared import PreparedManifest, PreparedUnit, QualityReport
from bakeoff.domain.recipe import AnswerPart, Entrant
from bakeoff.domain.work import DoneFact, InferTask, ItemOutcome, Task
from bakeoff.runtime.items import PoisonedCaseError
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.objects import ObjectStore
from tests.builders import a_mode

FINGERPRINT = "f" * 64


def store_cases(objects: ObjectStore, cases: Sequence[Case], cases_per_part: int = 2) -> ObjectRef:
    """Write a prepared benchmark that has nothing but cases, and return its manifest's ref."""

    def put(name: str, noun: object) -> ObjectRef:
        return objects.create(object_keys.prepared_file(FINGERPRINT, name), stored.encode(noun)).ref

    starts = range(0, len(cases), cases_per_part)
    parts = [put(f"cases-{start}", tuple(cases[start : start + cases_per_part])) for start in starts]
    unit = PreparedUnit("u1", "0" * 64, (), 0, 0, len(cases))
    manifest = PreparedManifest(
        fingerprint=FINGERPRINT,
        benchmark=BenchmarkManifest("harbour", "1", "test", "question_answering"),
        adapter=ComponentSpec("folder"),
        adapter_version="1",
        evaluators=(),
        originals=0,
        documents=0,
        cases=len(cases),
        original_parts=(),
        document_parts=(),
        case_parts=tuple(parts),
        cases_per_part=cases_per_part,
        units=put("units.json", (unit,)),
        quality=put("quality.json", QualityReport(0, len(cases), 1, 0)),
    )
    return put("manifest.json", manifest)


def infer_task(
    prepared: ObjectRef,
    *,
    start: int = 0,
    stop: int,
    answer: AnswerPart | None = None,
    text_ranks: int = 0,
) -> Task:
    """Return the task to ask the cases `[start, stop)`."""
    body = InferTask(
        prepared=prepared,
        benchmark="harbour",
        unit_id="u1",
        entrant=Entrant("bm25", "full_text_search"),
        kb_id="kb-1",
        build_item="build-0",
        cases_start=start,
        cases_stop=stop,
        mode=a_mode(top_k=10),
        answer=answer,
        seed=7,
        text_ranks=text_ranks,
    )
    return Task("ev-1", "default", Stage.INFER, "infer-0", body)


def built(failure: Failure | None = None) -> DoneFact:
    """Return the fact that the knowledge base was built, or was not for a reason."""
    outcome = ItemOutcome.FAILED if failure else ItemOutcome.DONE
    return DoneFact("ev-1", Stage.BUILD, "build-0", outcome, failure=failure)


@dataclass
class FakeContext:
    """An ItemContext that knows one fact, and writes down what begins."""

    build: DoneFact = field(default_factory=built)
    objects: MemoryObjects = field(default_factory=MemoryObjects)
    isolated: bool = False
    poisoned: dict[str, Failure] = field(default_factory=dict)
    cancelled_at: str | None = None
    """Case at which the evaluation turns out to be cancelled."""
    scratch: Path = Path()
    begun: list[str] = field(default_factory=list)

    def fact(self, stage: Stage, item: str) -> DoneFact:
        if (stage, item) != (Stage.BUILD, "build-0"):
            raise NotFoundError(f"the item {stage.value}/{item} has not ended")
        return self.build

    def facts(self, stage: Stage) -> list[DoneFact]:
        return [self.build] if stage is Stage.BUILD else []

    def waiting(self) -> AbstractContextManager[None]:
        return nullcontext()

    def tell_download(self, download: Download) -> None:
        """Nobody follows."""

    def begin(self, case_id: str = "") -> None:
        self.begun.append(case_id)
        if case_id == self.cancelled_at:
            raise CancelledItemError("cancelled")
        if case_id in self.poisoned:
            raise PoisonedCaseError(self.poisoned[case_id])
