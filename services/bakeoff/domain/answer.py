"""What came back for a case: passages with their provenance, an answer, or a failure with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bakeoff.domain.prompt import Usage


class FailureKind(StrEnum):
    """Who is to blame for a failed case."""

    INFRASTRUCTURE = "infrastructure"
    MODEL = "model"
    PARSE = "parse"
    JUDGE = "judge"
    INPUT = "input"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a case, a document or an item ended without a result."""

    kind: FailureKind
    reason: str
    """One sentence with the value that caused it; no secrets, no stack."""


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open run of characters or pages: `[start, stop)`, from 0."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class TablePlace:
    """A part of a table that a passage holds."""

    table_id: str
    """Unique in the document: the name of a sheet, else the number of the table from 0."""
    rows: Span
    """Rows that the passage touches, from 0 without the row that names the columns; empty when only that is in it."""
    columns: Span
    """Columns that it touches, from 0."""
    names: tuple[str, ...] = ()
    """Names of these columns, also where the passage does not hold the row that names them; empty when not known."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One retrieved chunk, traceable to the bytes it came from."""

    rank: int
    """From 1, best first."""
    score: float
    """The engine's score, higher is better; finite."""
    document_id: str
    """The benchmark's id."""
    chunk_id: str
    """Unique in the knowledge base: `<document id>#<number from 0>`."""
    raw_key: str
    """Key of the original in raw storage."""
    raw_sha256: str
    """Digest of the original, 64 hexadecimal digits."""
    chars: Span
    """Characters of the document's parsed text."""
    raw_bytes: Span | None = None
    """The document's bytes within the original; None when the document is the whole original."""
    pages: Span | None = None
    """Pages of the document, from 0; None when it has none."""
    text: str | None = None
    """The chunk's text; None beyond the ranks for which text was asked."""
    page_label: str = ""
    """What is printed on its page, such as `iv`, or on its first and last (`iv–2`); empty when not known."""
    tables: tuple[TablePlace, ...] = ()
    """Parts of tables that it holds; empty when there are none."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the time of a case went, in milliseconds; None when the step did not happen."""

    retrieve_ms: float | None = None
    generate_ms: float | None = None


@dataclass(frozen=True, slots=True)
class CaseAnswer:
    """What one entrant said to one case."""

    case_id: str
    passages: Sequence[Passage] = ()
    """Best first; empty when nothing was found, or on failure. A Ranking where there are many."""
    text: str | None = None
    """The answer; None when the recipe makes none, or on failure."""
    failure: Failure | None = None
    """Why there is no answer; None when there is one."""
    timing: Timing = field(default_factory=Timing)
    metadata: dict[str, object] = field(default_factory=dict)
    """What the generator says of its answer, such as the passage it came from; JSON values."""
    usage: Usage | None = None
    """What a model took for all samples; None when no model was asked."""
    samples: tuple[str, ...] = ()
    """All answers when the recipe asks for several, `text` being the first; empty when it asks for one."""
    retrieval_usage: Usage | None = None
    """What models took to retrieve its passages, apart from `usage`; None when retrieval asked none."""
    embedding_usage: Usage | None = None
    """What an endpoint took to embed the questions that were searched for, apart from both; None when none embeds them.

    It is a share of requests that embed many questions; its attempts tell whether it was asked now, or all was kept.
    """


@dataclass(frozen=True, slots=True)
class AnswerBatch:
    """The answers of one infer item: cases of one unit, asked of one entrant."""

    benchmark: str
    unit_id: str
    entrant: str
    kb_id: str
    answers: tuple[CaseAnswer, ...]
    """One for each planned case, in the plan's order."""
