"""An AnswerBatch as a stored object: rankings by columns, over one table of the documents that they come from."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from bakeoff.domain.answer import AnswerBatch, CaseAnswer, Failure, Span, Timing
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.ranking import Ranking, RankingColumns, Source, share_sources


@dataclass(frozen=True, slots=True)
class StoredSources:
    """The documents of a batch's passages, by columns."""

    raw_keys: list[str]
    raw_sha256s: list[str]
    """Of the original of the same index."""
    document_ids: list[str]
    originals: list[int]
    """Index of the document's original."""
    byte_starts: list[int]
    """-1 when the document is the whole original."""
    byte_stops: list[int]


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A CaseAnswer whose passages are columns."""

    case_id: str
    text: str | None
    failure: Failure | None
    timing: Timing
    metadata: dict[str, object]
    passages: RankingColumns


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """An AnswerBatch of such answers."""

    benchmark: str
    unit_id: str
    entrant: str
    kb_id: str
    sources: StoredSources
    answers: tuple[StoredAnswer, ...]


def encode_answers(batch: AnswerBatch) -> bytes:
    """Return the JSON of a batch; equal batches are equal bytes.

    Raises:
        InvalidInputError: a chunk id is not its document's id and a number.
    """
    sources, rankings = share_sources(Ranking.of(answer.passages) for answer in batch.answers)
    answers = tuple(
        StoredAnswer(answer.case_id, answer.text, answer.failure, answer.timing, answer.metadata, ranking.columns)
        for answer, ranking in zip(batch.answers, rankings, strict=True)
    )
    stored = StoredBatch(
        batch.benchmark, batch.unit_id, batch.entrant, batch.kb_id, sources_to_columns(sources), answers
    )
    return msgspec.json.encode(stored)


def decode_answers(data: bytes) -> AnswerBatch:
    """Read a batch back.

    Raises:
        InvalidInputError: the bytes are no stored batch; the message says where.
    """
    try:
        stored = msgspec.json.decode(data, type=StoredBatch)
    except msgspec.MsgspecError as error:
        raise InvalidInputError(f"not a stored AnswerBatch: {error}") from error
    sources = sources_from_columns(stored.sources)
    return AnswerBatch(
        stored.benchmark,
        stored.unit_id,
        stored.entrant,
        stored.kb_id,
        tuple(
            CaseAnswer(
                answer.case_id,
                Ranking(sources, answer.passages),
                answer.text,
                answer.failure,
                answer.timing,
                answer.metadata,
            )
            for answer in stored.answers
        ),
    )


def sources_to_columns(sources: tuple[Source, ...]) -> StoredSources:
    """Return a table of sources by columns."""
    originals: dict[tuple[str, str], int] = {}
    places = [originals.setdefault((source.raw_key, source.raw_sha256), len(originals)) for source in sources]
    return StoredSources(
        [key for key, _ in originals],
        [digest for _, digest in originals],
        [source.document_id for source in sources],
        places,
        [source.raw_bytes.start if source.raw_bytes else -1 for source in sources],
        [source.raw_bytes.stop if source.raw_bytes else -1 for source in sources],
    )


def sources_from_columns(columns: StoredSources) -> tuple[Source, ...]:
    """Return the sources of columns."""
    return tuple(
        Source(
            document_id,
            columns.raw_keys[original],
            columns.raw_sha256s[original],
            Span(start, stop) if start >= 0 else None,
        )
        for document_id, original, start, stop in zip(
            columns.document_ids, columns.originals, columns.byte_starts, columns.byte_stops, strict=True
        )
    )
