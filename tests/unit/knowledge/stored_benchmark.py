"""A prepared and ingested benchmark in a store in memory, and what a handler is given to build from it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.contract import object_keys, stored
from bakeoff.domain.answer import Failure
from bakeoff.domain.benchmark import BenchmarkManifest, ByteSpan
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import NotFoundError
from bakeoff.domain.evaluation import Download, ObjectRef, Stage
from bakeoff.domain.identity import digest_of, sha256_hex
from bakeoff.domain.knowledge import KnowledgeBaseIdentity
from bakeoff.domain.prepared import (
    IngestedOriginal,
    PreparedDocument,
    PreparedManifest,
    PreparedOriginal,
    PreparedUnit,
    QualityReport,
)
from bakeoff.domain.recipe import BuildPart
from bakeoff.domain.work import BuildTask, DoneFact, ItemOutcome, Task
from bakeoff.knowledge.parts import component_versions, resolved
from bakeoff.runtime.memory_objects import MemoryObjects

FINGERPRINT = "f" * 64


@dataclass(frozen=True)
class Doc:
    """A document of the benchmark: a file of its own, or bytes of a shared one."""

    document_id: str
    data: bytes
    media_type: str = "text/plain"
    original_id: str = ""
    """Empty makes it a file of its own; documents with the same are lines of one file."""


@dataclass
class StoredBenchmark:
    """A benchmark with one unit, `u1`, of all its documents."""

    objects: MemoryObjects
    ref: ObjectRef
    unit: PreparedUnit
    ingested: tuple[IngestedOriginal, ...]

    def task(self, build: BuildPart | None = None, **changes: object) -> Task:
        """Return the task to build the unit; `changes` are fields of the BuildTask."""
        part = resolved(build or BuildPart())
        versions = component_versions(part)
        kb_id = KnowledgeBaseIdentity(self.unit.documents_digest, part, versions).kb_id
        body = {
            "prepared": self.ref,
            "unit_id": self.unit.unit_id,
            "kb_id": kb_id,
            "build": part,
            "versions": versions,
            "ingest_items": ("ingest-0",),
        }
        return Task("ev-1", "default", Stage.BUILD, "build-0", BuildTask(**{**body, **changes}))  # type: ignore[arg-type]

    def context(self, scratch: Path, failure: Failure | None = None) -> FakeContext:
        """Return a context in which the originals were ingested, or failed to be."""
        key = object_keys.ingested_part(FINGERPRINT, 0)
        ref = self.objects.create(key, stored.encode(self.ingested)).ref
        fact = DoneFact("ev-1", Stage.INGEST, "ingest-0", ItemOutcome.DONE, ref)
        if failure:
            fact = DoneFact("ev-1", Stage.INGEST, "ingest-0", ItemOutcome.FAILED, failure=failure)
        return FakeContext(self.objects, scratch, {(Stage.INGEST, "ingest-0"): fact})


@dataclass
class FakeContext:
    """An ItemContext that knows its facts."""

    objects: MemoryObjects
    scratch: Path
    known: Mapping[tuple[Stage, str], DoneFact] = field(default_factory=dict)
    begun: int = 0
    isolated: bool = False

    def fact(self, stage: Stage, item: str) -> DoneFact:
        if (stage, item) not in self.known:
            raise NotFoundError(f"{stage.value}/{item} has not ended")
        return self.known[stage, item]

    def facts(self, stage: Stage) -> list[DoneFact]:
        return [fact for (of, _), fact in sorted(self.known.items()) if of is stage]

    def waiting(self) -> AbstractContextManager[None]:
        return nullcontext()

    def tell_download(self, download: Download) -> None:
        """Nobody follows."""

    def begin(self, case_id: str = "") -> None:
        self.begun += 1


def a_stored_benchmark(
    *docs: Doc, objects: MemoryObjects | None = None, rows_per_part: int = 10_000
) -> StoredBenchmark:
    """Return a benchmark of these documents, prepared and in raw storage."""
    objects = objects or MemoryObjects()
    documents = []
    files: dict[str, bytes] = {}
    for doc in docs:
        original_id = doc.original_id or doc.document_id
        before = files.get(original_id, b"")
        files[original_id] = before + doc.data
        span = ByteSpan(len(before), len(before) + len(doc.data)) if doc.original_id else None
        documents.append(
            PreparedDocument(
                doc.document_id,
                "name",
                doc.media_type,
                original_id,
                span,
                sha256_hex(doc.data),
                len(doc.data),
            )
        )
    ingested = []
    for original_id, data in files.items():
        raw_key = object_keys.raw("b", "test", original_id, "name")
        objects.create(raw_key, data)
        ingested.append(IngestedOriginal(original_id, raw_key, sha256_hex(data), len(data), "text/plain"))
    digest = digest_of([(document.document_id, document.sha256) for document in documents])
    unit = PreparedUnit("u1", digest, (), len(documents), 0, 0)
    ref = _prepared(objects, tuple(documents), unit, len(files), rows_per_part)
    return StoredBenchmark(objects, ref, unit, tuple(ingested))


def _prepared(
    objects: MemoryObjects,
    documents: tuple[PreparedDocument, ...],
    unit: PreparedUnit,
    originals: int,
    rows_per_part: int,
) -> ObjectRef:
    def put(name: str, noun: object) -> ObjectRef:
        return objects.create(object_keys.prepared_file(FINGERPRINT, name), stored.encode(noun)).ref

    manifest = PreparedManifest(
        FINGERPRINT,
        BenchmarkManifest("b", "1", "test", "retrieval"),
        ComponentSpec("jsonl"),
        "1",
        (),
        originals,
        len(documents),
        0,
        (put("originals.json", tuple[PreparedOriginal, ...]()),),
        tuple(
            put(f"documents-{first}.json", documents[first : first + rows_per_part])
            for first in range(0, len(documents), rows_per_part)
        ),
        (),
        100,
        put("units.json", (unit,)),
        put("quality.json", QualityReport(len(documents), 0, 1, 0)),
    )
    return objects.create(object_keys.prepared_manifest(FINGERPRINT), stored.encode(manifest)).ref
