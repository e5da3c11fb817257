"""An AnswerBatch as a stored object: rankings by columns, over one table of the documents that they come from."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from bakeoff.domain.answer import AnswerBatch, CaseAnswer, Failure, Timing
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Usage
from bakeoff.domain.ranking import Ranking, RankingColumns, SourceColumns, SourceTable, share_sources


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A CaseAnswer whose passages are columns."""

    case_id: str
    text: str | None
    failure: Failure | None
    timing: Timing
    metadata: dict[str, object]
    usage: Usage | None
    samples: tuple[str, ...]
    passages: RankingColumns
    retrieval_usage: Usage | None = None
    embedding_usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """An AnswerBatch of such answers."""

    benchmark: str
    unit_id: str
    entrant: str
    kb_id: str
    sources: SourceColumns
    answers: tuple[StoredAnswer, ...]


def encode_answers(batch: AnswerBatch) -> bytes:
    """Return the JSON of a batch; equal batches are equal bytes.

    Raises:
        InvalidInputError: a chunk id is not its document's id and a number.
    """
    sources, rankings = share_sources([Ranking.of(answer.passages) for answer in batch.answers])
    answers = tuple(
        StoredAnswer(
            answer.case_id,
            answer.text,
            answer.failure,
            answer.timing,
            answer.metadata,
            answer.usage,
            answer.samples,
            ranking.columns,
            answer.retrieval_usage,
            answer.embedding_usage,
        )
        for answer, ranking in zip(batch.answers, rankings, strict=True)
    )
    stored = StoredBatch(batch.benchmark, batch.unit_id, batch.entrant, batch.kb_id, sources.columns, answers)
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
    sources = SourceTable(stored.sources)
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
                answer.usage,
                answer.samples,
                answer.retrieval_usage,
                answer.embedding_usage,
            )
            for answer in stored.answers
        ),
    )
