"""What preparing a benchmark leaves behind: its documents, cases and units in parts, under one fingerprint."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.domain.benchmark import BenchmarkManifest, ByteSpan, Json
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import ObjectRef


@dataclass(frozen=True, slots=True)
class PreparedOriginal:
    """One file as its publisher made it; what goes to raw storage."""

    original_id: str
    """The document's id when the file is one document, else an id of the adapter's such as `corpus`."""
    name: str
    """File name, not a path."""
    media_type: str
    sha256: str
    size_bytes: int
    blob_key: str
    """Where its bytes wait for ingestion: a key under `prepared/`."""


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """One document: an original, or a record of one."""

    document_id: str
    name: str
    media_type: str
    """Sniffed or stated; decides the parser."""
    original_id: str
    span: ByteSpan | None
    """Bytes of the original; None means the whole."""
    sha256: str
    """Digest of the document's own bytes."""
    size_bytes: int
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreparedUnit:
    """One run unit with its cases as a range of the prepared case order."""

    unit_id: str
    documents_digest: str
    """Digest over the benchmark's name and split and every document's id, bytes, original and metadata, in order."""
    document_ids: tuple[str, ...]
    """Empty means all documents."""
    documents: int
    """How many documents the unit has."""
    cases_start: int
    """First case in the prepared order, from 0."""
    cases_stop: int
    """One past the last case."""
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QualityFinding:
    """One kind of fault in a benchmark's data, counted."""

    code: str
    """Stable name, such as `dangling_judgement`, `duplicate_document_id`, `empty_document`, `no_evidence`."""
    count: int
    """How often it occurs, from 1."""
    message: str
    """What it means for the numbers, in one sentence."""
    examples: tuple[str, ...] = ()
    """A few ids, at most ten."""


@dataclass(frozen=True, slots=True)
class QualityReport:
    """What is known of a benchmark's data before anything is asked of it."""

    documents: int
    cases: int
    units: int
    judgements: int
    """Pieces of evidence over all cases."""
    findings: tuple[QualityFinding, ...] = ()
    """Empty when nothing is wrong."""
    ceiling: dict[str, float] = field(default_factory=dict)
    """Highest mean that a metric can reach when documents are missing, such as `{"recall": 0.98}`; empty when 1."""


@dataclass(frozen=True, slots=True)
class PreparedManifest:
    """A prepared benchmark. It exists when this object does."""

    fingerprint: str
    """Digest over the adapter, its version and settings, and everything below but the refs' sizes; 64 digits."""
    benchmark: BenchmarkManifest
    adapter: ComponentSpec
    """With all settings filled in but paths and addresses: the same content elsewhere is the same benchmark."""
    adapter_version: str
    evaluators: tuple[ComponentSpec, ...]
    """The benchmark's own scoring methods."""
    originals: int
    documents: int
    cases: int
    """Cases in the prepared order; a case of two units counts twice."""
    original_parts: tuple[ObjectRef, ...]
    """JSON arrays of PreparedOriginal."""
    document_parts: tuple[ObjectRef, ...]
    """JSON arrays of PreparedDocument, in the adapter's order."""
    case_parts: tuple[ObjectRef, ...]
    """JSON arrays of Case, each of `cases_per_part` but the last; the cases of a unit are adjacent."""
    cases_per_part: int
    units: ObjectRef
    """JSON array of PreparedUnit."""
    quality: ObjectRef
    """JSON of a QualityReport."""
    needs_texts: bool = False
    """Whether evidence is told by its words, so that scoring needs the texts of all passages."""
    resources: dict[str, str] = field(default_factory=dict)
    """SHA-256 of every resource that was read, by name."""
    examples: int = 0
    """Cases for in-context examples; 0 when the benchmark declares no split for them, or has none."""
    example_parts: tuple[ObjectRef, ...] = ()
    """JSON arrays of Case in the order of their split, each of `cases_per_part` but the last."""


@dataclass(frozen=True, slots=True)
class PrepareResult:
    """What a prepare item came to."""

    manifest: ObjectRef
    """The PreparedManifest."""


@dataclass(frozen=True, slots=True)
class IngestedOriginal:
    """One original in raw storage."""

    original_id: str
    raw_key: str
    sha256: str
    size_bytes: int
    media_type: str
