"""Preparing small benchmarks into memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bakeoff.contract import stored
from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.benchmark import BenchmarkChoice, Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.prepared import PreparedDocument, PreparedManifest, QualityReport
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.prepare import prepare
from bakeoff.preparation.workspace import LocalWorkspace
from bakeoff.runtime.memory_objects import MemoryObjects


@dataclass(frozen=True)
class Outcome:
    """A prepared benchmark and the store that it is in."""

    objects: MemoryObjects
    ref: ObjectRef
    reader: PreparedReader

    @property
    def manifest(self) -> PreparedManifest:
        return self.reader.manifest

    @property
    def quality(self) -> QualityReport:
        return stored.decode(self.objects.read(self.manifest.quality), QualityReport)

    @property
    def findings(self) -> dict[str, int]:
        return {finding.code: finding.count for finding in self.quality.findings}

    @property
    def cases(self) -> list[Case]:
        return list(self.reader.cases())

    @property
    def documents(self) -> list[PreparedDocument]:
        return list(self.reader.documents())

    def bytes_of(self, document: PreparedDocument) -> bytes:
        """Return a document's own bytes, by way of its original."""
        originals = [
            original
            for part in range(len(self.manifest.original_parts))
            for original in self.reader.originals(part)
            if original.original_id == document.original_id
        ]
        data = self.objects.read_key(originals[0].blob_key)
        return data[document.span.start : document.span.stop] if document.span else data


@pytest.fixture
def prepare_as(tmp_path: Path) -> Callable[..., Outcome]:
    """Prepare a benchmark by its adapter and settings."""
    numbers = itertools.count()

    def run(
        adapter: str,
        *,
        limit: int | None = None,
        name: str = "",
        objects: MemoryObjects | None = None,
        max_document_bytes: int = 1 << 30,
        **settings: Any,
    ) -> Outcome:
        scratch = tmp_path / f"scratch-{next(numbers)}"
        scratch.mkdir()
        store = objects or MemoryObjects()
        prepared = prepare(
            BenchmarkChoice(ComponentSpec(adapter, settings), name, limit),
            workspace=LocalWorkspace(scratch, Downloads(tmp_path / "cache", allow_private=True)),
            objects=store,
            scratch=scratch,
            max_document_bytes=max_document_bytes,
        )
        return Outcome(store, prepared.manifest, PreparedReader.open(store, prepared.manifest))

    return run


@pytest.fixture
def beir_folder(tmp_path: Path) -> Callable[..., Path]:
    """Write a benchmark in the layout of BEIR, line by line."""

    def write(
        corpus: bytes = b'{"_id":"d1","title":"Tides","text":"High water."}\n{"_id":"d2","text":"Low water."}\n',
        queries: bytes = b'{"_id":"q1","text":"When is high water?"}\n',
        qrels: bytes = b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
        *,
        name: str = "harbour",
        split: str = "test",
    ) -> Path:
        folder = tmp_path / name
        (folder / "qrels").mkdir(parents=True, exist_ok=True)
        (folder / "corpus.jsonl").write_bytes(corpus)
        (folder / "queries.jsonl").write_bytes(queries)
        (folder / "qrels" / f"{split}.tsv").write_bytes(qrels)
        return folder

    return write
