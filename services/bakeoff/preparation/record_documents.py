"""Corpora of records: a JSON object with id, title and text a line, in a file that becomes one original."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from bakeoff.domain.benchmark import BenchmarkDocument, Json
from bakeoff.domain.media_types import RECORD
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.records import fault, read_records


class RecordLine(msgspec.Struct, omit_defaults=True):
    """A line of `corpus.jsonl`, as BEIR has it."""

    id: str | int = msgspec.field(name="_id")
    title: str | None = None
    text: str | None = None
    metadata: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document that is a title and a text."""

    document_id: str
    title: str
    text: str
    metadata: Json = field(default_factory=dict)


def write_records(path: Path, documents: Iterable[TextDocument]) -> None:
    """Write documents as a corpus of records, for a source whose own files hold them in another form.

    The same documents give the same bytes, so that the digest of the file says what was read.
    """
    encode = msgspec.json.Encoder(order="deterministic").encode
    with path.open("xb") as file:
        for each in documents:
            line = RecordLine(each.document_id, each.title or None, each.text, each.metadata or None)
            file.write(encode(line) + b"\n")


def record_documents(path: Path, findings: Findings) -> Iterator[BenchmarkDocument]:
    """Yield each line of a corpus as a document. Empty ones are kept, and noted.

    Raises:
        InvalidInputError: a line is no record, or has an empty id; names file and line.
    """
    for record in read_records(path, RecordLine):
        value = record.value
        if value.id == "":
            raise fault(path, record.line, "_id", "must not be empty")
        document_id = str(value.id)
        if not (value.text or "").strip() and not (value.title or "").strip():
            findings.note_empty(document_id)
        yield BenchmarkDocument(
            document_id, path.name, RECORD, path=path, span=record.span, metadata=value.metadata or {}
        )
