"""Knowledge bases and what is found in them as messages."""

from __future__ import annotations

from bakeoff.contract import codec
from bakeoff.domain.answer import Failure
from bakeoff.domain.knowledge import KnowledgeBaseManifest
from bakeoff.domain.prompt import Usage
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.search import KnowledgeBase
from bakeoff.v1 import knowledge_service_pb2


def response_to_wire(
    knowledge_base: KnowledgeBase,
    query_index: int,
    found: Hits | Failure,
    *,
    text_ranks: int,
    retrieve_ms: float,
    embedded: Usage | None = None,
) -> knowledge_service_pb2.RetrieveResponse:
    """Return the message of what was found for one query, a passage at a time; `rankings` has the quick way.

    Args:
        knowledge_base: Where it was found.
        query_index: Which query, from 0.
        found: Its hits, or why it could not be asked.
        text_ranks: First ranks whose texts are sent.
        retrieve_ms: Time of the search in milliseconds.
        embedded: What embedding the query took at an endpoint; None when none was asked.
    """
    failure = found if isinstance(found, Failure) else None
    passages = () if isinstance(found, Failure) else knowledge_base.passages(found, text_ranks)
    return knowledge_service_pb2.RetrieveResponse(
        query_index=query_index,
        retrieve_ms=retrieve_ms,
        passages=map(codec.passage_to_wire, passages),
        failure=codec.failure_to_wire(failure),
        embedding_usage=codec.usage_to_wire(embedded) if embedded else None,
    )


def knowledge_base_to_wire(manifest: KnowledgeBaseManifest) -> knowledge_service_pb2.KnowledgeBase:
    """Return the message of a knowledge base."""
    return knowledge_service_pb2.KnowledgeBase(
        kb_id=manifest.kb_id,
        benchmark=manifest.benchmark,
        split=manifest.split,
        unit_id=manifest.unit_id,
        build=codec.build_part_to_wire(manifest.build),
        documents=manifest.documents,
        chunks=manifest.chunks,
        size_bytes=manifest.size_bytes,
        versions=manifest.versions,
        skipped=len(manifest.skipped),
        measures=manifest.measures,
    )
