"""What was found for many questions as one message of columns: no passage is made on the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bakeoff.contract import codec
from bakeoff.domain.answer import Failure
from bakeoff.domain.prompt import Usage
from bakeoff.domain.ranking import Ranking, RankingColumns
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.search import KnowledgeBase
from bakeoff.v1.knowledge_service_pb2 import RetrieveRankingsResponse


def rankings_to_wire(
    knowledge_base: KnowledgeBase,
    found: Sequence[Hits | Failure],
    *,
    text_ranks: int,
    retrieve_ms: float,
    embedded: Sequence[Usage | None] = (),
) -> RetrieveRankingsResponse:
    """Return the message of what was found.

    Args:
        knowledge_base: Where it was found.
        found: One for each question, in their order.
        text_ranks: First ranks whose texts are sent.
        retrieve_ms: Time of the search of one question in milliseconds.
        embedded: What embedding each question took at an endpoint; empty when none was asked.
    """
    tables = knowledge_base.tables
    where = tables.places
    chunks = np.concatenate([hits.chunks for hits in found if isinstance(hits, Hits)] or [np.zeros(0, np.int64)])
    rows = tables.rows(chunks)
    documents, places = np.unique(rows.documents, return_inverse=True)
    sources = tables.sources(documents)
    response = RetrieveRankingsResponse(sources=codec.ranking_sources_to_wire(sources))
    start = 0
    for hits in found:
        if isinstance(hits, Failure):
            response.rankings.add(failure=codec.failure_to_wire(hits), retrieve_ms=retrieve_ms)
            continue
        stop = start + len(hits.chunks)
        here = slice(start, stop)
        columns = RankingColumns(
            places[here].tolist(),
            rows.numbers[here].tolist(),
            hits.scores.tolist(),
            rows.char_starts[here].tolist(),
            rows.char_stops[here].tolist(),
            rows.page_starts[here].tolist(),
            rows.page_stops[here].tolist(),
            [tables.encoded_text(chunk).decode() for chunk in hits.chunks[:text_ranks].tolist()],
            [where.label(chunk) for chunk in hits.chunks.tolist()] if where.labelled else [],
            [where.tables(chunk) for chunk in hits.chunks.tolist()] if where.tabular else [],
        )
        message = codec.ranking_to_wire(Ranking(sources, columns))
        message.retrieve_ms = retrieve_ms
        response.rankings.append(message)
        start = stop
    for message, took in zip(response.rankings, embedded, strict=False):
        if took is not None:
            message.embedding_usage.CopyFrom(codec.usage_to_wire(took))
    return response
