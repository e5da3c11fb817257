"""Retrieval from the knowledge service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import grpc

from bakeoff.contract import codec
from bakeoff.domain.errors import OutOfReachError, UnavailableError
from bakeoff.domain.recipe import QueryMode
from bakeoff.inference.core import Retrieved
from bakeoff.runtime.rpc import error_of
from bakeoff.v1.knowledge_service_pb2 import (
    GetKnowledgeBaseRequest,
    RetrieveRankingsRequest,
    RetrieveRankingsResponse,
)
from bakeoff.v1.knowledge_service_pb2_grpc import KnowledgeServiceStub

DEADLINE_S = 600.0
"""A large knowledge base has to be fetched before its first search."""
QUERY_S = 120.0
"""And for each question: a cross-encoder may read a thousand passages for it."""


class KnowledgeRetriever:
    """Asks one knowledge base in one mode. Thread-safe."""

    def __init__(self, channel: grpc.Channel, kb_id: str, mode: QueryMode, text_ranks: int) -> None:
        """Say what is asked, and how.

        Args:
            channel: To the knowledge service.
            kb_id: The knowledge base.
            mode: How it is asked.
            text_ranks: First ranks whose texts are wanted.
        """
        self._stub = KnowledgeServiceStub(channel)
        self._kb_id = kb_id
        self._mode = codec.query_mode_to_wire(mode)
        self._text_ranks = text_ranks

    def ready(self) -> None:
        """Prove that the service answers and has the knowledge base.

        Raises:
            OutOfReachError: the service does not answer.
            NotFoundError: there is no such knowledge base.
        """
        with _errors():
            self._stub.GetKnowledgeBase(GetKnowledgeBaseRequest(kb_id=self._kb_id), timeout=DEADLINE_S)

    def __call__(self, queries: Sequence[str]) -> list[Retrieved]:
        """Return what was found for each query, in their order.

        Raises:
            OutOfReachError: the service does not answer.
            NotFoundError: there is no such knowledge base.
            InvalidInputError: it cannot be asked so.
        """
        request = RetrieveRankingsRequest(
            kb_id=self._kb_id, mode=self._mode, queries=queries, text_ranks=self._text_ranks
        )
        with _errors():
            deadline_s = DEADLINE_S + QUERY_S * len(queries)
            responses = list(self._stub.RetrieveRankings(request, timeout=deadline_s))
        return [found for response in responses for found in _retrieved(response)]


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except grpc.RpcError as call:
        error = error_of(call, "the knowledge service")
        if isinstance(error, UnavailableError):
            # It is a part of the platform: to wait for it is no attempt of the item.
            raise OutOfReachError(str(error)) from call
        raise error from call


def _retrieved(response: RetrieveRankingsResponse) -> Iterator[Retrieved]:
    sources = codec.ranking_sources_from_wire(response.sources)
    for ranking in response.rankings:
        embedding = codec.usage_from_wire(ranking.embedding_usage) if ranking.HasField("embedding_usage") else None
        ended = Retrieved(retrieve_ms=ranking.retrieve_ms, embedding=embedding)
        if ranking.HasField("failure"):
            yield replace(ended, failure=codec.failure_from_wire(ranking.failure))
        else:
            yield replace(ended, passages=codec.ranking_from_wire(ranking, sources))
