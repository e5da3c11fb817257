"""Answers, rankings, usage and scores on the wire."""

from __future__ import annotations

import math
from dataclasses import fields

from bakeoff.contract.codec.values import (
    enum_from_wire,
    enum_to_wire,
    span_from_wire,
    span_to_wire,
    struct_from_wire,
    struct_to_wire,
)
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind, Passage, TablePlace, Timing
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Usage
from bakeoff.domain.ranking import Ranking, RankingColumns, SourceColumns, SourceTable
from bakeoff.domain.score import CaseScores, Outcome, Score
from bakeoff.v1 import answer_pb2, score_pb2


def failure_to_wire(failure: Failure | None) -> answer_pb2.Failure | None:
    """Return the message of a failure; None stays None."""
    if failure is None:
        return None
    kind = enum_to_wire(failure.kind, "FAILURE_KIND", answer_pb2.FailureKind)
    return answer_pb2.Failure(kind=kind, reason=failure.reason)  # type: ignore[arg-type]


def failure_from_wire(message: answer_pb2.Failure) -> Failure:
    """Return the failure of a message."""
    return Failure(enum_from_wire(message.kind, "FAILURE_KIND", answer_pb2.FailureKind, FailureKind), message.reason)


def passage_to_wire(passage: Passage) -> answer_pb2.Passage:
    """Return the message of a passage."""
    return answer_pb2.Passage(
        rank=passage.rank,
        score=passage.score,
        document_id=passage.document_id,
        chunk_id=passage.chunk_id,
        raw_key=passage.raw_key,
        raw_sha256=passage.raw_sha256,
        chars=span_to_wire(passage.chars),
        raw_bytes=span_to_wire(passage.raw_bytes),
        pages=span_to_wire(passage.pages),
        text=passage.text,
        page_label=passage.page_label,
        tables=map(_table_to_wire, passage.tables),
    )


def passage_from_wire(message: answer_pb2.Passage) -> Passage:
    """Return the passage of a message."""
    return Passage(
        message.rank,
        message.score,
        message.document_id,
        message.chunk_id,
        message.raw_key,
        message.raw_sha256,
        span_from_wire(message.chars),
        span_from_wire(message.raw_bytes) if message.HasField("raw_bytes") else None,
        span_from_wire(message.pages) if message.HasField("pages") else None,
        message.text if message.HasField("text") else None,
        message.page_label,
        tuple(map(_table_from_wire, message.tables)),
    )


def _table_to_wire(table: TablePlace) -> answer_pb2.TablePlace:
    rows, columns = span_to_wire(table.rows), span_to_wire(table.columns)
    return answer_pb2.TablePlace(table_id=table.table_id, rows=rows, columns=columns, names=table.names)


def _table_from_wire(message: answer_pb2.TablePlace) -> TablePlace:
    rows, columns = span_from_wire(message.rows), span_from_wire(message.columns)
    return TablePlace(message.table_id, rows, columns, tuple(message.names))


def ranking_sources_to_wire(sources: SourceTable) -> answer_pb2.RankingSources:
    """Return the message of a table of sources."""
    columns = sources.columns
    return answer_pb2.RankingSources(
        raw_keys=columns.raw_keys,
        raw_sha256s=columns.raw_sha256s,
        document_ids=columns.document_ids,
        originals=columns.originals,
        byte_starts=columns.byte_starts,
        byte_stops=columns.byte_stops,
    )


def ranking_sources_from_wire(message: answer_pb2.RankingSources) -> SourceTable:
    """Return the table of sources of a message."""
    return SourceTable(
        SourceColumns(
            list(message.raw_keys),
            list(message.raw_sha256s),
            list(message.document_ids),
            list(message.originals),
            list(message.byte_starts),
            list(message.byte_stops),
        )
    )


def ranking_to_wire(ranking: Ranking) -> answer_pb2.Ranking:
    """Return the message of a ranking's columns; its sources go beside it, once for all rankings of a batch."""
    columns = ranking.columns
    return answer_pb2.Ranking(
        sources=columns.sources,
        chunks=columns.chunks,
        scores=columns.scores,
        char_starts=columns.char_starts,
        char_stops=columns.char_stops,
        page_starts=columns.page_starts,
        page_stops=columns.page_stops,
        texts=columns.texts,
        page_labels=columns.page_labels,
        tables=(answer_pb2.TablePlaces(places=map(_table_to_wire, places)) for places in columns.tables),
    )


def ranking_from_wire(message: answer_pb2.Ranking, sources: SourceTable) -> Ranking:
    """Return the ranking of a message of columns, over the sources that came with it."""
    return Ranking(
        sources,
        RankingColumns(
            list(message.sources),
            list(message.chunks),
            list(message.scores),
            list(message.char_starts),
            list(message.char_stops),
            list(message.page_starts),
            list(message.page_stops),
            list(message.texts),
            list(message.page_labels),
            [tuple(map(_table_from_wire, each.places)) for each in message.tables],
        ),
    )


def usage_to_wire(usage: Usage) -> answer_pb2.Usage:
    """Return the message of what an answer took."""
    return answer_pb2.Usage(**{each.name: getattr(usage, each.name) for each in fields(usage)})


def usage_from_wire(message: answer_pb2.Usage) -> Usage:
    """Return what an answer took of a message."""
    known = {field.name: value for field, value in message.ListFields() if field.name != "attempts"}
    return Usage(attempts=message.attempts, **known)


def case_answer_to_wire(answer: CaseAnswer) -> answer_pb2.CaseAnswer:
    """Return the message of an answer."""
    return answer_pb2.CaseAnswer(
        case_id=answer.case_id,
        passages=[passage_to_wire(passage) for passage in answer.passages],
        text=answer.text,
        failure=failure_to_wire(answer.failure),
        retrieve_ms=answer.timing.retrieve_ms,
        generate_ms=answer.timing.generate_ms,
        metadata=struct_to_wire(answer.metadata),
        usage=usage_to_wire(answer.usage) if answer.usage else None,
        samples=answer.samples,
        retrieval_usage=usage_to_wire(answer.retrieval_usage) if answer.retrieval_usage else None,
        embedding_usage=usage_to_wire(answer.embedding_usage) if answer.embedding_usage else None,
    )


def case_answer_from_wire(message: answer_pb2.CaseAnswer) -> CaseAnswer:
    """Return the answer of a message.

    Raises:
        InvalidInputError: a passage's score is not finite.
    """
    for passage in message.passages:
        if not math.isfinite(passage.score):
            raise InvalidInputError(
                f"case {message.case_id!r}: passage {passage.chunk_id!r} has the score {passage.score}; "
                "it must be finite"
            )
    return CaseAnswer(
        message.case_id,
        tuple(passage_from_wire(passage) for passage in message.passages),
        message.text if message.HasField("text") else None,
        failure_from_wire(message.failure) if message.HasField("failure") else None,
        Timing(
            message.retrieve_ms if message.HasField("retrieve_ms") else None,
            message.generate_ms if message.HasField("generate_ms") else None,
        ),
        struct_from_wire(message.metadata),
        usage_from_wire(message.usage) if message.HasField("usage") else None,
        tuple(message.samples),
        usage_from_wire(message.retrieval_usage) if message.HasField("retrieval_usage") else None,
        usage_from_wire(message.embedding_usage) if message.HasField("embedding_usage") else None,
    )


def score_to_wire(score: Score) -> score_pb2.Score:
    """Return the message of a score."""
    return score_pb2.Score(
        metric=score.metric,
        outcome=enum_to_wire(score.outcome, "OUTCOME", score_pb2.Outcome),  # type: ignore[arg-type]
        value=score.value,
        reason=score.reason,
        failure=failure_to_wire(score.failure),
        weight=score.weight,
    )


def score_from_wire(message: score_pb2.Score) -> Score:
    """Return the score of a message."""
    return Score(
        message.metric,
        enum_from_wire(message.outcome, "OUTCOME", score_pb2.Outcome, Outcome),
        message.value if message.HasField("value") else None,
        message.reason,
        failure_from_wire(message.failure) if message.HasField("failure") else None,
        message.weight if message.HasField("weight") else None,
    )


def case_scores_to_wire(scores: CaseScores) -> score_pb2.CaseScores:
    """Return the message of a case's scores. Details stay behind: they are for the report."""
    return score_pb2.CaseScores(case_id=scores.case_id, scores=[score_to_wire(score) for score in scores.scores])


def case_scores_from_wire(message: score_pb2.CaseScores) -> CaseScores:
    """Return the scores of a message."""
    return CaseScores(message.case_id, tuple(score_from_wire(score) for score in message.scores))
