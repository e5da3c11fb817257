"""What a benchmark brings: documents, cases with what is expected, run units, and the methods that score them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError

Json = dict[str, object]


class BuildScope(StrEnum):
    """How a benchmark's data is organised; a hint, the run units decide."""

    CORPUS = "corpus"
    GROUP = "group"
    CASE = "case"


class ResourceKind(StrEnum):
    """What an external resource is."""

    FILE = "file"
    ARCHIVE = "archive"
    DATASET = "dataset"
    REPOSITORY = "repository"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class BenchmarkManifest:
    """Who a benchmark is."""

    name: str
    """Name in keys and reports; any text."""
    version: str
    split: str
    task_type: str
    """Such as `retrieval`, `question_answering`."""
    build_scope: BuildScope = BuildScope.CORPUS
    homepage: str = ""
    licence: str = ""
    """As the source states it; empty when it states none."""
    citation: str = ""
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BenchmarkResource:
    """Something outside that preparing needs."""

    name: str
    uri: str
    """A local path, `file:`, `http(s):` or `s3:` address."""
    kind: ResourceKind = ResourceKind.FILE
    sha256: str | None = None
    """Expected digest, hexadecimal; None when the publisher states none."""
    size_bytes: int | None = None
    required: bool = True


@dataclass(frozen=True, slots=True)
class ByteSpan:
    """A run of bytes in a file: `[start, stop)`."""

    start: int
    stop: int

    @property
    def size_bytes(self) -> int:
        """Bytes in the span."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class BenchmarkDocument:
    """One document as its adapter hands it over.

    Exactly one of `data`, `path` and `source_uri` is set. A document that is a record of a larger file (a line of
    `corpus.jsonl`) names that file and its bytes in it; the file then goes to raw storage once, whole.
    """

    document_id: str
    """Unique in the benchmark; any text."""
    name: str
    """File name, not a path."""
    media_type: str = ""
    """Stated type such as `text/markdown`; empty means: sniff it."""
    data: bytes | None = None
    path: Path | None = None
    source_uri: str | None = None
    span: ByteSpan | None = None
    """The document's bytes within `path`; None means the whole."""
    metadata: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a document without an id, with a path for a name, or with other than one source.

        Raises:
            InvalidInputError: as said; names the document and the field.
        """
        if not self.document_id:
            raise InvalidInputError("a document has an empty id")
        if not self.name or "/" in self.name or "\\" in self.name:
            raise InvalidInputError(f"document {self.document_id!r}: name must be a file name, not {self.name!r}")
        sources = [name for name in ("data", "path", "source_uri") if getattr(self, name) is not None]
        if len(sources) != 1:
            raise InvalidInputError(
                f"document {self.document_id!r}: exactly one of data, path, source_uri must be set, "
                f"not {', '.join(sources) or 'none'}"
            )
        if self.span is not None and self.path is None:
            raise InvalidInputError(f"document {self.document_id!r}: a span needs a path")


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of what an answer must rest on: at least one of reference id, locator and text."""

    reference_id: str = ""
    locator: Json = field(default_factory=dict)
    """Open: document_id, source_key, page_index, chunk_id, table_id, row_index, column, and a benchmark's own."""
    text: str = ""
    """The passage's words; empty when only the place is known."""
    relevance: int = 1
    """Grade of the judgement; ≥ 1 is relevant, 0 and below is judged not relevant."""

    def __post_init__(self) -> None:
        """Refuse evidence that points nowhere.

        Raises:
            InvalidInputError: reference id, locator and text are all empty.
        """
        if not (self.reference_id or self.locator or self.text.strip()):
            raise InvalidInputError("evidence needs a reference_id, a locator or a text")


@dataclass(frozen=True, slots=True)
class Expected:
    """What a right answer must have."""

    answers: tuple[str, ...] = ()
    """Any one of them is right; empty when the benchmark has no gold answer."""
    evidence: tuple[Evidence, ...] = ()
    value: object = None
    """A number, label or structure that is no text; None when there is none."""
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """One question with what is expected."""

    case_id: str
    """Unique in the benchmark; any text."""
    query: str
    expected: Expected = field(default_factory=Expected)
    labels: dict[str, str] = field(default_factory=dict)
    """What the case may be grouped by, such as `{"type": "comparison"}`."""
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunUnit:
    """One independent knowledge base and the cases that are asked of it."""

    unit_id: str
    document_ids: tuple[str, ...] = ()
    """Empty means all documents."""
    case_ids: tuple[str, ...] = ()
    """Empty means all cases."""
    metadata: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BenchmarkChoice:
    """A benchmark as an evaluation asks for it."""

    adapter: ComponentSpec
    name: str = ""
    """Name in keys and in the report; empty means the adapter's own."""
    limit: int | None = None
    """Only the first so many cases, in the benchmark's order; None means all."""
    evaluators: tuple[ComponentSpec, ...] = ()
    """Methods instead of the benchmark's own; empty means the benchmark's own."""
