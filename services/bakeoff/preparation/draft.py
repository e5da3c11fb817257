"""Read a benchmark to the end: its documents, cases and units become parts on local disk, its faults a report."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from bakeoff.contract import stored
from bakeoff.domain.benchmark import (
    BenchmarkChoice,
    BenchmarkDocument,
    BenchmarkManifest,
    BenchmarkResource,
    Case,
    RunUnit,
)
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prepared import PreparedDocument, PreparedOriginal, PreparedUnit, QualityReport
from bakeoff.preparation.document_claims import claim_document
from bakeoff.preparation.examples import ExampleSplit
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.judgements import JudgementAudit
from bakeoff.preparation.limiting import needed
from bakeoff.preparation.originals import Original, Originals
from bakeoff.preparation.protocol import (
    BenchmarkProtocol,
    OffersExamples,
    PreparedSource,
    Workspace,
    has_documents,
)
from bakeoff.preparation.spool import Part, Table, write_part
from bakeoff.preparation.units import DocumentDigests, lay_out, prepared_unit

DOCUMENTS_PER_PART = 10_000  # some 3 MB: few objects for a million, little memory for one
ORIGINALS_PER_PART = 200  # one ingest item: enough to be worth a message, few enough to be shared among workers
DOCUMENTS_PER_STEP = 1_000  # between two looks at whether to go on: some 20 ms
CASES_PER_PART = 500  # who reads a hundred cases decodes at most two parts


@dataclass(frozen=True, slots=True)
class Draft:
    """A benchmark that was read and found sound, and waits on local disk to be stored."""

    benchmark: BenchmarkManifest
    evaluators: tuple[ComponentSpec, ...]
    originals: tuple[Original, ...]
    original_parts: tuple[Part, ...]
    document_parts: tuple[Part, ...]
    case_parts: tuple[Part, ...]
    units: Part
    quality: Part
    documents: int
    cases: int
    needs_texts: bool
    resources: dict[str, str]
    """SHA-256 of every file that was read, by its name."""
    adapter: ComponentSpec = field(default_factory=lambda: ComponentSpec("unknown"))
    adapter_version: str = ""
    examples: int = 0
    example_parts: tuple[Part, ...] = ()


def read_benchmark(
    choice: BenchmarkChoice,
    adapter: BenchmarkProtocol,
    source: PreparedSource,
    workspace: Workspace,
    scratch: Path,
    max_document_bytes: int,
    begin: Callable[[], None] = lambda: None,
) -> Draft:
    """Read a benchmark to the end.

    Args:
        choice: Its name and limit.
        adapter: The benchmark.
        source: What the adapter has found.
        workspace: Where documents that are addresses come from.
        scratch: A folder of this call's own; the draft's parts are files there.
        max_document_bytes: Largest document that is taken.
        begin: Called again and again; may raise to end the work.

    Raises:
        NotFoundError: a file of the benchmark is not there.
        InvalidInputError: the benchmark is wrong; says where.
    """
    check_limit(choice)
    manifest = named(choice, adapter.manifest)
    originals = Originals(scratch / "data", max_document_bytes)
    try:
        return _Reading(choice, manifest, adapter, source, workspace, originals, scratch, begin).draft()
    finally:
        originals.close()


def check_limit(choice: BenchmarkChoice) -> None:
    """Refuse a limit that leaves no case.

    Raises:
        InvalidInputError: so it does.
    """
    if choice.limit is not None and choice.limit < 1:
        raise InvalidInputError(f"limit must be at least 1, not {choice.limit}")


def named(choice: BenchmarkChoice, manifest: BenchmarkManifest) -> BenchmarkManifest:
    """Return a benchmark's manifest under the name that the evaluation gives it, if it gives one."""
    return replace(manifest, name=choice.name) if choice.name else manifest


@dataclass(frozen=True, slots=True)
class _Reading:
    choice: BenchmarkChoice
    manifest: BenchmarkManifest
    adapter: BenchmarkProtocol
    source: PreparedSource
    workspace: Workspace
    originals: Originals
    scratch: Path
    begin: Callable[[], None]

    def draft(self) -> Draft:
        need = needed(list(self.adapter.run_units(self.source)), self._asked())
        units = list(need.units)
        digests = DocumentDigests(self.manifest.name, self.manifest.split, units)
        documents: Table[PreparedDocument] = Table(self.scratch / "documents", DOCUMENTS_PER_PART)
        audit = JudgementAudit(self._read_documents(documents, digests, need.document_ids), self.source.findings)
        examples: Table[Case] = Table(self.scratch / "examples", CASES_PER_PART)
        split = ExampleSplit(examples, self.source.findings)
        if isinstance(self.adapter, OffersExamples):
            split.read(self.adapter.examples(self.source))
        cases: Table[Case] = Table(self.scratch / "cases", CASES_PER_PART)
        prepared_units = self._read_cases(cases, units, digests, audit, split)
        audit.check()
        draft = self._close(documents, cases, prepared_units, audit)
        return replace(draft, examples=examples.rows, example_parts=examples.close())

    def _asked(self) -> Iterator[Case] | None:
        """Return the cases of the limit; None when there is none. Faults are noted when they are read for good."""
        if self.choice.limit is None:
            return None
        return islice(self.adapter.cases(replace(self.source, findings=Findings())), self.choice.limit)

    def _read_documents(
        self, documents: Table[PreparedDocument], digests: DocumentDigests, wanted: Container[str] | None
    ) -> Container[str]:
        """Fill the table with the documents that are wanted, None being all, and return the ids of all there are."""
        places: dict[str, int] = {}
        for document in self.adapter.documents(self.source):
            if len(places) % DOCUMENTS_PER_STEP == 0:
                self.begin()
            if not claim_document(document, places):
                message = "documents that are there twice, each time the same; they are taken once"
                self.source.findings.note("duplicate_document", message, document.document_id)
                continue
            if wanted is not None and document.document_id not in wanted:
                continue
            prepared, original = self.originals.add(self._local(document))
            if not prepared.size_bytes:
                self.source.findings.note_empty(prepared.document_id)
            digests.add(prepared, original.sha256)
            documents.add(prepared)
        if not documents.rows and has_documents(self.manifest):
            raise InvalidInputError(f"benchmark {self.manifest.name!r} has no document")
        return places.keys()

    def _read_cases(
        self,
        cases: Table[Case],
        units: list[RunUnit],
        digests: DocumentDigests,
        audit: JudgementAudit,
        split: ExampleSplit,
    ) -> tuple[PreparedUnit, ...]:
        """Fill the table, unit by unit, and return the units with their ranges of it."""
        prepared: list[PreparedUnit] = []
        for laid_out in lay_out(units, self._cases(audit, split), self.source.findings):
            start = cases.rows
            cases.extend(laid_out.cases)
            prepared.append(prepared_unit(laid_out, digests, start, cases.rows))
        if not cases.rows:
            raise InvalidInputError(f"benchmark {self.manifest.name!r} has no case")
        return tuple(prepared)

    def _close(
        self,
        documents: Table[PreparedDocument],
        cases: Table[Case],
        units: tuple[PreparedUnit, ...],
        audit: JudgementAudit,
    ) -> Draft:
        originals: Table[PreparedOriginal] = Table(self.scratch / "originals", ORIGINALS_PER_PART)
        originals.extend(original.prepared for original in self.originals.all())
        document_parts = documents.close()
        if not audit.texts.empty:
            audit.texts.look_up(_read_again(document_parts), self.originals, self.source.findings)
        findings = self.source.findings.all()
        quality = QualityReport(documents.rows, cases.rows, len(units), audit.judgements, findings, audit.ceiling())
        files = {name: path for name, path in sorted(self.source.files.items()) if path.is_file()}
        return Draft(
            benchmark=self.manifest,
            evaluators=self.adapter.evaluators(),
            originals=tuple(self.originals.all()),
            original_parts=originals.close(),
            document_parts=document_parts,
            case_parts=cases.close(),
            units=write_part(self.scratch / "units.json", units),
            quality=write_part(self.scratch / "quality.json", quality),
            documents=documents.rows,
            cases=cases.rows,
            needs_texts=audit.needs_texts and documents.rows > 0,
            resources={name: self.originals.digest_of_file(path) for name, path in files.items()},
        )

    def _local(self, document: BenchmarkDocument) -> BenchmarkDocument:
        if document.source_uri is None:
            return document
        path = self.workspace.fetch(BenchmarkResource(document.name, document.source_uri))
        return replace(document, source_uri=None, path=path)

    def _cases(self, audit: JudgementAudit, split: ExampleSplit) -> Iterator[Case]:
        seen: set[str] = set()
        for case in islice(self.adapter.cases(self.source), self.choice.limit):
            if not case.case_id or case.case_id in seen:
                problem = "is there twice" if case.case_id else "must not be empty"
                raise InvalidInputError(f"case id {case.case_id!r} {problem}")
            seen.add(case.case_id)
            if not case.query.strip():
                self.source.findings.note("empty_query", "cases without a question find nothing", case.case_id)
            audit.add(case)
            split.look_for(case)
            yield case


def _read_again(parts: Iterable[Part]) -> Iterator[PreparedDocument]:
    for part in parts:
        yield from stored.decode(part.path.read_bytes(), tuple[PreparedDocument, ...])
