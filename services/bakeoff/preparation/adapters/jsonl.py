"""Benchmarks in two files of JSON lines: documents and cases."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from bakeoff.domain.benchmark import BenchmarkDocument, BenchmarkManifest, BenchmarkResource, Case, RunUnit
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.domain.media_types import RECORD
from bakeoff.preparation.protocol import BenchmarkProtocol, PreparedSource, Workspace
from bakeoff.preparation.records import Record, fault, read_records
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.source_files import file_name, folder_name
from bakeoff.preparation.sources import missing
from bakeoff.preparation.written_cases import CaseReader
from bakeoff.preparation.written_evaluators import default_evaluators
from bakeoff.runtime.registry import Is


@adapters.register("jsonl")
def jsonl(
    *,
    documents: Annotated[str, Is("file with a document a line: id; text, path, source_uri or data_base64", path=True)],
    cases: Annotated[str, Is("file with a case a line: id, question, answers, evidence, labels, value", path=True)],
) -> BenchmarkProtocol:
    """Documents and cases in two files of JSON lines.

    A document has `id`, one of `text`, `path` (from the file's folder), `source_uri` (an address) and `data_base64`,
    and perhaps `name`, `title`, `media_type` and `metadata`. A case has `id`, `question`, and perhaps `answers`,
    `evidence`, `labels`, `value` and `metadata`; a piece of evidence has `document`, `text`, `locator`,
    `reference_id` or several, and `relevance`. `document_id` and `case_id` may stand for `id`, and what is expected in
    a mapping `expected`.
    """
    return JsonLines(documents, cases)


SOURCES = ("text", "path", "source_uri", "data_base64")


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    id: str | int = ""
    document_id: str | int = ""
    text: str | None = None
    path: str | None = None
    source_uri: str | None = None
    data_base64: str | None = None
    name: str | None = None
    title: str | None = None
    media_type: str = ""
    metadata: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class JsonLines:
    """The adapter; see `jsonl` for its settings."""

    documents_file: str
    cases_file: str

    @property
    def manifest(self) -> BenchmarkManifest:
        """Who the benchmark is: named after the folder of its documents file."""
        name = folder_name(self.documents_file) or "jsonl"
        return BenchmarkManifest(name=name, version="1", split="test", task_type="question_answering")

    def resources(self) -> tuple[BenchmarkResource, ...]:
        """Return the two files."""
        return (BenchmarkResource("documents", self.documents_file), BenchmarkResource("cases", self.cases_file))

    def check(self) -> list[Violation]:
        """Return which of the files is missing."""
        return [fault for each in self.resources() for fault in missing([each], each.name)]

    def prepare(self, workspace: Workspace) -> PreparedSource:
        """Find the two files."""
        return PreparedSource({each.name: workspace.fetch(each) for each in self.resources()})

    def documents(self, source: PreparedSource) -> Iterator[BenchmarkDocument]:
        """Yield each document: a text as a record of the file, anything else as a file of its own."""
        path = source.files["documents"]
        for record in read_records(path, _Document):
            yield _document(path, record, source)

    def cases(self, source: PreparedSource) -> Iterator[Case]:
        """Yield each case.

        Raises:
            InvalidInputError: lines that are no cases; tells all of them.
        """
        path = source.files["cases"]
        reader = CaseReader(path)
        for record in read_records(path, dict[str, object]):
            case = reader.read(_flat(record.value), "", record.line)
            if case and not reader.faults:
                yield case
        if reader.faults:
            raise InvalidInputError(f"{str(path)!r} has lines that are no cases", reader.faults)

    def run_units(self, source: PreparedSource) -> Iterator[RunUnit]:
        """Yield one unit: all documents, and every case."""
        yield RunUnit("corpus")

    def evaluators(self) -> tuple[ComponentSpec, ...]:
        """Return metrics of retrieval and of answers; the latter do not apply to cases without a gold answer."""
        return default_evaluators(answers=True)


def _flat(given: dict[str, object]) -> dict[str, object]:
    """Return a case with its id and what is expected under their own names; what stands there twice stays a fault."""
    expected = given.get("expected")
    inner = expected if isinstance(expected, dict) and not expected.keys() & (given.keys() | {"expected"}) else {}
    flat = {**given, **inner}
    if inner or expected == {}:
        del flat["expected"]
    if "case_id" in flat and "id" not in flat:
        flat["id"] = flat.pop("case_id")
    return flat


def _document(path: Path, record: Record[_Document], source: PreparedSource) -> BenchmarkDocument:
    value = record.value
    document_id, metadata = str(value.document_id if value.id == "" else value.id), value.metadata or {}
    if not document_id:
        raise fault(path, record.line, "id", "must not be empty")
    given = [name for name in SOURCES if getattr(value, name) is not None]
    if len(given) != 1:
        problem = f"document {document_id!r} needs one of {', '.join(SOURCES)}, not {', '.join(given) or 'none'}"
        raise fault(path, record.line, given[1] if given else "", problem)
    if value.text is not None:
        if not value.text.strip() and not (value.title or "").strip():
            source.findings.note_empty(document_id)
        return BenchmarkDocument(document_id, path.name, RECORD, path=path, span=record.span, metadata=metadata)
    name = _name(path, record)
    if value.title:
        metadata = {"title": value.title, **metadata}
    if value.path is not None:
        file = path.parent / value.path
        if not file.is_file():
            raise fault(path, record.line, "path", f"{str(file)!r} is no file")
        return BenchmarkDocument(document_id, name, value.media_type, path=file, metadata=metadata)
    if value.source_uri is not None:
        return BenchmarkDocument(document_id, name, value.media_type, source_uri=value.source_uri, metadata=metadata)
    try:
        data = base64.b64decode(value.data_base64 or "", validate=True)
    except binascii.Error as error:
        raise fault(path, record.line, "data_base64", f"document {document_id!r}: {error}") from error
    return BenchmarkDocument(document_id, name, value.media_type, data=data, metadata=metadata)


def _name(path: Path, record: Record[_Document]) -> str:
    value = record.value
    place = file_name(value.source_uri) if value.source_uri else Path(value.path).name if value.path else ""
    name = value.name or place or str(value.id).replace("\\", "/").split("/")[-1]
    if not name or "/" in name or "\\" in name:
        raise fault(path, record.line, "name", f"must be a file name, not {name!r}")
    return name
