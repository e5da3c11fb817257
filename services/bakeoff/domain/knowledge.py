"""What a knowledge base is and what went into it."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.domain.answer import Failure
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.identity import digest_of
from bakeoff.domain.recipe import BuildPart

EMBEDDER_TOKENS = "embedder.tokens"
"""Measure: tokens of the texts of all vectors, as the endpoint counted them, whoever paid for them."""
EMBEDDER_COST = "embedder.cost"
"""Measure: what those tokens cost at the price that the recipe states, in its currency."""


@dataclass(frozen=True, slots=True)
class SkippedDocument:
    """A document that gave no chunks, with the reason."""

    document_id: str
    failure: Failure | None
    """None when the document is empty, which is no fault of anybody's."""


@dataclass(frozen=True, slots=True)
class RemarkedDocument:
    """A document of which its parser remarked something, whether or not it gave chunks."""

    document_id: str
    remarks: tuple[str, ...]
    """A sentence each, such as that pages are scanned or an encoding was guessed; never empty."""


@dataclass(frozen=True, slots=True)
class KnowledgeBaseManifest:
    """A built knowledge base. It exists when this object does; the same inputs give the same bytes."""

    kb_id: str
    benchmark: str
    split: str
    unit_id: str
    documents_digest: str
    build: BuildPart
    """With all settings filled in."""
    versions: dict[str, str]
    """Version of each component and of the libraries that made the bytes."""
    documents: int
    chunks: int
    characters: int
    """Characters over all chunks."""
    files: dict[str, ObjectRef]
    """What it consists of, by file name."""
    skipped: tuple[SkippedDocument, ...] = ()
    remarks: tuple[RemarkedDocument, ...] = ()
    """In the order of the documents."""
    measures: dict[str, float] = field(default_factory=dict)
    """What its indexes measured of themselves when they were built, such as `dense.recall_at_10`, and what its vectors
    took at an endpoint."""

    @property
    def size_bytes(self) -> int:
        """Bytes over all its files."""
        return sum(ref.size_bytes for ref in self.files.values())


@dataclass(frozen=True, slots=True)
class KnowledgeBaseIdentity:
    """Exactly what a knowledge base's id is a hash of."""

    documents_digest: str
    build: BuildPart
    versions: dict[str, str] = field(default_factory=dict)
    """Version of each component of the build part, by `kind:name`."""

    @property
    def kb_id(self) -> str:
        """The id: `kb-` and 32 hexadecimal digits."""
        build = {
            "parser": str(self.build.parser),
            "chunker": str(self.build.chunker),
            "embedder": str(self.build.embedder) if self.build.embedder else None,
            "indexes": [str(index) for index in self.build.indexes],
        }
        return "kb-" + digest_of({"documents": self.documents_digest, "build": build, "versions": self.versions})[:32]
