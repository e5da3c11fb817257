"""Benchmarks in the layout of BEIR: corpus.jsonl, queries.jsonl and qrels/{split}.tsv."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from bakeoff.domain.benchmark import (
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    Case,
    Evidence,
    Expected,
    ResourceKind,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.preparation import beir_sets
from bakeoff.preparation.archives import is_archive
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.protocol import BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.qrels import read_qrels
from bakeoff.preparation.record_documents import record_documents
from bakeoff.preparation.records import fault, read_records
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.sources import is_remote, local_path, missing
from bakeoff.runtime.registry import Is

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"
EVALUATORS = (
    ComponentSpec("ndcg", {"k": 10}),
    ComponentSpec("average_precision", {"k": None}),
    ComponentSpec("recall", {"k": 100}),
    ComponentSpec("precision", {"k": 10}),
    ComponentSpec("reciprocal_rank", {"k": None}),
    ComponentSpec("hit", {"k": 10}),
)


@adapters.register("beir", facts={"names": {"path": beir_sets.names()}})
def beir(
    *,
    path: Annotated[str, Is("folder, archive (zip, tar.gz), address, or name of a public set", path=True)],
    split: Annotated[str, Is("split whose judgements are used: qrels/{split}.tsv")] = "test",
    qrels: Annotated[str | None, Is("other file of judgements in qrels/; null means the split's")] = None,
    exclude_self: Annotated[
        bool | None,
        Is("leave out the document that has the query's id; null means: as the set's authors do (arguana, quora)"),
    ] = None,
) -> BenchmarkProtocol:
    """A retrieval benchmark in the layout of BEIR.

    Source: Thakur et al. 2021, BEIR, arXiv:2104.08663.
    """
    return Beir(path, split, qrels, exclude_self)


class _Query(msgspec.Struct):
    id: str | int = msgspec.field(name="_id")
    text: str
    metadata: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Beir:
    """The adapter; see `beir` for its settings."""

    path: str
    split: str
    qrels: str | None
    exclude_self: bool | None

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is: named after its folder, archive or public set."""
        name = beir_sets.set_name(self.path)
        excluded = name.lower() in beir_sets.SELF_RETRIEVAL if self.exclude_self is None else self.exclude_self
        public = name.lower() in beir_sets.PUBLIC or beir_sets.is_public(self.path)
        return BenchmarkManifest(
            name=name,
            version="1",
            split=self.split,
            task_type="retrieval",
            homepage=beir_sets.HOMEPAGE if public else "",
            citation=beir_sets.CITATION if public else "",
            metadata={"exclude_self": excluded},
        )

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the three files of a folder, or the archive."""
        uri = self._uri()
        if is_remote(uri) or local_path(uri).is_file():
            return (BenchmarkResource("archive", uri, ResourceKind.ARCHIVE),)
        folder = local_path(uri)
        if not folder.exists():
            return (BenchmarkResource("folder", uri, ResourceKind.DATASET),)
        names = (CORPUS, QUERIES, f"{QRELS}/{self._qrels_file()}")
        return tuple(BenchmarkResource(name, str(folder / name)) for name in names)

    def check(self) -> list[Violation]:
        """Return which files a folder lacks; of an archive, only whether it is one."""
        uri = self._uri()
        if is_remote(uri):
            return []
        folder = local_path(uri)
        if not folder.exists():
            hint = beir_sets.hint(self.path)
            return [Violation(each.field, each.problem + hint) for each in missing(self.resources(), field="path")]
        if folder.is_dir():
            return self._lacking(folder, str(folder))
        return [] if is_archive(folder) else [Violation("path", f"{str(folder)!r} is no folder, zip or tar archive")]

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the three files, after unpacking an archive.

        Raises:
            InvalidInputError: one of them is not there; lists the splits that are.
        """
        resources = self.resources()
        folder = local_path(self._uri()) if resources[0].kind is ResourceKind.FILE else None
        # Where an archive was unpacked is gone by the time that somebody reads of it.
        shown = str(folder or self.path)
        if folder is None:
            fetched = workspace.fetch(resources[0])
            inside = beir_sets.folder_of(self.path) if beir_sets.is_public(self.path) else ""
            folder = fetched if fetched.is_dir() else _root(workspace.unpack(fetched), inside)
        faults = self._lacking(folder, shown)
        if faults:
            raise InvalidInputError(f"{self.path!r} is no benchmark in the layout of BEIR", faults)
        qrels = f"{QRELS}/{self._qrels_file()}"
        return PreparedSource({name: folder / name for name in (CORPUS, QUERIES, qrels)})

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield each line of corpus.jsonl as a record of it. Empty ones are kept, and noted."""
        return record_documents(source.files[CORPUS], source.findings)

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each judged query with its judgements as evidence.

        Raises:
            InvalidInputError: two queries have one id, or no query is judged.
        """
        path = source.files[QUERIES]
        judgements = read_qrels(source.files[f"{QRELS}/{self._qrels_file()}"], source.findings)
        trained = self._trained(source)
        lines: dict[str, int] = {}
        judged = 0
        for record in read_records(path, _Query):
            query_id = str(record.value.id)
            if not query_id:
                raise fault(path, record.line, "_id", "must not be empty")
            if query_id in lines:
                raise fault(path, record.line, "_id", f"{query_id!r} is already on line {lines[query_id]}")
            lines[query_id] = record.line
            if query_id not in judgements:
                source.findings.note("query_without_judgement", "queries without a judgement are not asked", query_id)
                continue
            judged += 1
            if query_id in trained:
                message = "queries that are in qrels/train.tsv too; who trains on that split has seen them"
                source.findings.note("case_in_train_split", message, query_id)
            yield _case(query_id, record.value, judgements[query_id])
        if not judged:
            raise InvalidInputError(
                f"0 of {len(lines)} queries of {path.name} have a judgement in {QRELS}/{self._qrels_file()}"
            )
        for query_id in (each for each in judgements if each not in lines):
            source.findings.note("judgement_for_unknown_query", "judged queries that are not in the file", query_id)

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield one unit: the whole corpus, and every case."""
        yield RunUnit("corpus")

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return nDCG@10, BEIR's headline, and the usual company."""
        return EVALUATORS

    def _trained(self, source: PreparedSource) -> frozenset[str]:
        train = source.files[f"{QRELS}/{self._qrels_file()}"].parent / "train.tsv"
        if self._qrels_file() == train.name or not train.is_file():
            return frozenset()
        return frozenset(read_qrels(train, Findings()))

    def _uri(self) -> str:
        known = beir_sets.is_public(self.path) and not Path(self.path).exists()
        return beir_sets.address_of(self.path) if known else self.path

    def _qrels_file(self) -> str:
        name = self.qrels or self.split
        return name if name.endswith(".tsv") else f"{name}.tsv"

    def _lacking(self, folder: Path, shown: str) -> list[Violation]:
        faults = [
            Violation("path", f"{shown!r} has no {name}") for name in (CORPUS, QUERIES) if not (folder / name).is_file()
        ]
        field, wanted = "qrels" if self.qrels else "split", self._qrels_file()
        if Path(wanted).name != wanted:
            faults.append(Violation(field, f"must be the name of a file in {QRELS}/, not {wanted!r}"))
        elif not (folder / QRELS / wanted).is_file():
            found = sorted(path.stem for path in (folder / QRELS).glob("*.tsv"))
            known = ", ".join(found) or "none"
            faults.append(Violation(field, f"{shown!r} has no {QRELS}/{wanted}; there are: {known}"))
        return faults


def _case(query_id: str, query: _Query, grades: dict[str, int]) -> Case:
    evidence = tuple(
        Evidence(reference_id=document_id, locator={"document_id": document_id}, relevance=grade)
        for document_id, grade in grades.items()
    )
    return Case(query_id, query.text, Expected(evidence=evidence), metadata=query.metadata or {})


def _root(folder: Path, inside: str = "") -> Path:
    """Return the folder of an unpacked archive that has the corpus: mostly one named after the set.

    Args:
        folder: Where it was unpacked.
        inside: The folder's name, where the archive is known to hold several sets; empty when it holds one.
    """
    if inside:
        return next(iter(sorted(folder.glob(f"**/{inside}/{CORPUS}"))), folder / inside / CORPUS).parent
    found = sorted(folder.glob(CORPUS)) or sorted(folder.glob(f"*/{CORPUS}")) or sorted(folder.glob(f"*/*/{CORPUS}"))
    if len(found) > 1:
        names = ", ".join(str(path.parent.relative_to(folder)) for path in found[:20])
        raise InvalidInputError(f"the archive holds several benchmarks; unpack it and name one of: {names}")
    return found[0].parent if found else folder
