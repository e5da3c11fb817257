"""The way from an answer to the bytes that it rests on, and back."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakeoff.domain.answer import CaseAnswer, Span


@dataclass(frozen=True, slots=True)
class BenchmarkRevision:
    """The data that a benchmark was, to the byte."""

    name: str
    """Name in the evaluation."""
    version: str
    split: str
    fingerprint: str
    """Digest of everything that was prepared, 64 hexadecimal digits."""
    adapter: str
    """Signature of the adapter with all settings that change the result."""
    resources: dict[str, str] = field(default_factory=dict)
    """SHA-256 of every file that was read, by name."""


@dataclass(frozen=True, slots=True)
class TracedDocument:
    """A document that a passage comes from."""

    document_id: str
    name: str
    """File name."""
    media_type: str
    """What its parser was chosen by."""
    original_id: str
    """The original that it is, or is a part of."""
    sha256: str
    """Digest of the document's own bytes, 64 hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class TracedAnswer:
    """An answer with everything between it and the originals."""

    revision: BenchmarkRevision
    unit_id: str
    entrant: str
    """`recipe/mode`."""
    kb_id: str
    """Empty when no knowledge base was asked; then so are the next three."""
    parser: str
    """Signature of the parser that made the texts that spans count in."""
    parser_version: str
    chunker: str
    """Signature of the chunker that cut them."""
    query: str
    answer: CaseAnswer
    """With the first passages that were asked for; has a failure when no answer is stored."""
    documents: tuple[TracedDocument, ...]
    """Of these passages, each once, in their order."""


@dataclass(frozen=True, slots=True)
class DocumentUse:
    """A passage of a document in an answer."""

    benchmark: str
    unit_id: str
    case_id: str
    entrant: str
    rank: int
    """From 1, best first."""
    chunk_id: str
    chars: Span
    """Characters of the document's parsed text."""
    pages: Span | None
    """From 0; None when it has none."""
