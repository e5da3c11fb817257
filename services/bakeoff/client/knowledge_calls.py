"""Calls of the knowledge service and of the benchmark service, whose units knowledge bases are built of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bakeoff.client.call import Call, Stream
from bakeoff.contract import codec
from bakeoff.domain.answer import Failure, Passage
from bakeoff.domain.benchmark import BenchmarkChoice, BenchmarkManifest, Case
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.v1 import benchmark_service_pb2 as benchmark_pb
from bakeoff.v1 import knowledge_service_pb2 as pb
from bakeoff.v1.benchmark_service_pb2_grpc import BenchmarkServiceStub
from bakeoff.v1.knowledge_service_pb2_grpc import KnowledgeServiceStub


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A built knowledge base."""

    kb_id: str
    benchmark: str
    split: str
    unit_id: str
    build: BuildPart
    """With all settings filled in."""
    documents: int
    chunks: int
    size_bytes: int
    skipped: int
    """Documents that gave no chunks."""
    versions: dict[str, str] = field(default_factory=dict)
    """Of what made it."""
    measures: dict[str, float] = field(default_factory=dict)
    """What its indexes measured of themselves, such as `dense.recall_at_10`, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a knowledge base has for one question."""

    query_index: int
    """Which question, from 0."""
    passages: tuple[Passage, ...]
    """Best first; empty when nothing matches, or on failure."""
    failure: Failure | None
    """Why it could not be asked; None when it could."""
    retrieve_ms: float
    """Time of the search in milliseconds, a share of the batch's."""


@dataclass(frozen=True, slots=True)
class PreparedUnit:
    """One run unit of a prepared benchmark."""

    unit_id: str
    documents: int
    cases_start: int
    """First case in the prepared order, from 0."""
    cases_stop: int
    """One past the last."""


@dataclass(frozen=True, slots=True)
class PreparedBenchmark:
    """A prepared benchmark."""

    fingerprint: str
    """Digest over everything that makes it, 64 hexadecimal digits."""
    manifest: BenchmarkManifest
    documents: int
    cases: int
    units: tuple[PreparedUnit, ...]
    prepared: ObjectRef
    """Its manifest object: what knowledge bases are built of."""


def check_benchmark(choice: BenchmarkChoice) -> Call[BenchmarkManifest]:
    """Return the call that checks whether a benchmark can be prepared."""
    message = benchmark_pb.CheckBenchmarkRequest(benchmark=codec.benchmark_choice_to_wire(choice))
    return Call(
        BenchmarkServiceStub, "CheckBenchmark", message, lambda answer: codec.manifest_from_wire(answer.manifest)
    )


def benchmark(fingerprint: str) -> Call[PreparedBenchmark]:
    """Return the call that gets a prepared benchmark."""

    def read(answer: Any) -> PreparedBenchmark:
        found = answer.benchmark
        return PreparedBenchmark(
            found.fingerprint,
            codec.manifest_from_wire(found.manifest),
            found.documents,
            found.cases,
            tuple(
                PreparedUnit(unit.unit_id, unit.documents, unit.cases.start, unit.cases.stop) for unit in found.units
            ),
            codec.object_ref_from_wire(found.ref),
        )

    return Call(BenchmarkServiceStub, "GetBenchmark", benchmark_pb.GetBenchmarkRequest(fingerprint=fingerprint), read)


def cases(fingerprint: str, start: int, count: int) -> Stream[Case]:
    """Return the call that lists the cases of a prepared benchmark."""
    message = benchmark_pb.ListCasesRequest(fingerprint=fingerprint, start=start, count=count)
    return Stream(BenchmarkServiceStub, "ListCases", message, lambda answer: codec.case_from_wire(answer.case))


def build(prepared: ObjectRef, unit_id: str, part: BuildPart) -> Call[KnowledgeBase]:
    """Return the call that builds a knowledge base."""
    message = pb.BuildKnowledgeBaseRequest(
        prepared=codec.object_ref_to_wire(prepared), unit_id=unit_id, build=codec.build_part_to_wire(part)
    )
    return _call("BuildKnowledgeBase", message, _knowledge_base)


def get(kb_id: str) -> Call[KnowledgeBase]:
    """Return the call that gets a knowledge base."""
    return _call("GetKnowledgeBase", pb.GetKnowledgeBaseRequest(kb_id=kb_id), _knowledge_base)


def listed() -> Stream[KnowledgeBase]:
    """Return the call that lists knowledge bases."""
    return Stream(KnowledgeServiceStub, "ListKnowledgeBases", pb.ListKnowledgeBasesRequest(), _knowledge_base)


def delete(kb_id: str) -> Call[bool]:
    """Return the call that deletes a knowledge base."""
    message = pb.DeleteKnowledgeBaseRequest(kb_id=kb_id)
    return _call("DeleteKnowledgeBase", message, lambda answer: bool(answer.existed))


def retrieve(kb_id: str, mode: QueryMode, queries: Sequence[str], text_ranks: int) -> Stream[Found]:
    """Return the call that asks a knowledge base."""

    def read(answer: Any) -> Found:
        failure = codec.failure_from_wire(answer.failure) if answer.HasField("failure") else None
        return Found(
            answer.query_index, tuple(map(codec.passage_from_wire, answer.passages)), failure, answer.retrieve_ms
        )

    message = pb.RetrieveRequest(
        kb_id=kb_id, mode=codec.query_mode_to_wire(mode), queries=queries, text_ranks=text_ranks
    )
    return Stream(KnowledgeServiceStub, "Retrieve", message, read)


def _call(method: str, message: Any, read: Any) -> Call[Any]:
    return Call(KnowledgeServiceStub, method, message, read)


def _knowledge_base(answer: Any) -> KnowledgeBase:
    found = answer.knowledge_base
    return KnowledgeBase(
        found.kb_id,
        found.benchmark,
        found.split,
        found.unit_id,
        codec.build_part_from_wire(found.build),
        found.documents,
        found.chunks,
        found.size_bytes,
        found.skipped,
        dict(found.versions),
        dict(found.measures),
    )
