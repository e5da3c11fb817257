"""The knowledge service's RPCs: decode, hand to the core in a thread, encode."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bakeoff.contract import codec, object_keys, stored
from bakeoff.domain.answer import Failure
from bakeoff.domain.component import ComponentKind
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.domain.evaluation import ObjectRef
from bakeoff.domain.knowledge import KnowledgeBaseIdentity, KnowledgeBaseManifest
from bakeoff.domain.prepared import IngestedOriginal
from bakeoff.domain.prompt import Usage
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.indexing import Hits
from bakeoff.knowledge.library import CACHE_BYTES, Library
from bakeoff.knowledge.named_paths import check_named_paths, placed_in
from bakeoff.knowledge.parts import component_versions, resolved
from bakeoff.knowledge.publishing import Resources, build_and_store
from bakeoff.knowledge.question_usage import of_each, questions_embedded
from bakeoff.knowledge.rankings import rankings_to_wire
from bakeoff.knowledge.search import KnowledgeBase
from bakeoff.knowledge.shelf import PreparedBenchmark, Shelf, originals_of
from bakeoff.knowledge.wire import knowledge_base_to_wire, response_to_wire
from bakeoff.runtime import callers
from bakeoff.runtime.holdings import Holdings
from bakeoff.v1 import knowledge_service_pb2 as v1
from bakeoff.v1.knowledge_service_pb2_grpc import KnowledgeServiceServicer

MAX_QUERIES = 1000
SLICE_QUERIES = 100
"""Queries that are searched at once: enough for the libraries' batches, few enough that their answers fit in memory."""
NO_MORE: Any = object()


class KnowledgeServicer(KnowledgeServiceServicer):
    """Builds, shows, deletes and searches knowledge bases."""

    def __init__(
        self,
        resources: Resources,
        cache_dir: Path,
        *,
        cache_bytes: int = CACHE_BYTES,
        library: Library | None = None,
        folders: tuple[Path, ...] | None = None,
    ) -> None:
        """Serve from an object store.

        Args:
            resources: What builds may use; its objects hold prepared benchmarks, originals and knowledge bases.
            cache_dir: Where knowledge bases are kept at hand.
            cache_bytes: How much of them.
            library: Instead of one of its own.
            folders: Below which paths may lie that callers name; None means everywhere.
        """
        self._resources = resources
        self._objects = resources.objects
        self._cache_dir = cache_dir
        self._folders = folders
        self._library = library or Library(
            resources.objects,
            cache_dir,
            cache_bytes=cache_bytes,
            models=resources.models,
            outside=resources.outside,
        )
        self._shelf = Shelf()
        self._holdings = Holdings(resources.objects)

    async def BuildKnowledgeBase(  # noqa: N802  # gRPC's name
        self, request: v1.BuildKnowledgeBaseRequest, context: Any
    ) -> v1.BuildKnowledgeBaseResponse:
        """Build a knowledge base, or return the one that is there."""
        ref = codec.object_ref_from_wire(request.prepared)
        build = codec.build_part_from_wire(request.build)
        check_named_paths([*placed_in(build)], self._folders)
        manifest = await asyncio.to_thread(self._build, ref, request.unit_id, build)
        return v1.BuildKnowledgeBaseResponse(knowledge_base=knowledge_base_to_wire(manifest))

    async def GetKnowledgeBase(  # noqa: N802
        self, request: v1.GetKnowledgeBaseRequest, context: Any
    ) -> v1.GetKnowledgeBaseResponse:
        """Return what is known of a knowledge base."""
        manifest = await asyncio.to_thread(self._own, request.kb_id)
        return v1.GetKnowledgeBaseResponse(knowledge_base=knowledge_base_to_wire(manifest))

    async def ListKnowledgeBases(  # noqa: N802
        self, request: v1.ListKnowledgeBasesRequest, context: Any
    ) -> AsyncIterator[v1.ListKnowledgeBasesResponse]:
        """Yield all knowledge bases by id."""
        manifests = self._library.manifests()
        while (manifest := await asyncio.to_thread(next, manifests, NO_MORE)) is not NO_MORE:
            if not await asyncio.to_thread(self._holds, manifest):
                continue
            yield v1.ListKnowledgeBasesResponse(knowledge_base=knowledge_base_to_wire(manifest))

    async def DeleteKnowledgeBase(  # noqa: N802
        self, request: v1.DeleteKnowledgeBaseRequest, context: Any
    ) -> v1.DeleteKnowledgeBaseResponse:
        """Delete a knowledge base; raw originals stay."""
        return v1.DeleteKnowledgeBaseResponse(existed=await asyncio.to_thread(self._library.delete, request.kb_id))

    async def Retrieve(  # noqa: N802
        self, request: v1.RetrieveRequest, context: Any
    ) -> AsyncIterator[v1.RetrieveResponse]:
        """Ask a knowledge base; yields one response a query, in their order."""
        mode = _mode_of(request)
        check_named_paths([(ComponentKind.QUERY_ENGINE, mode.engine, "mode.engine")], self._folders)
        if callers.current().tenant != callers.ALL_TENANTS:
            await asyncio.to_thread(self._own, request.kb_id)
        for first in range(0, max(len(request.queries), 1), SLICE_QUERIES):
            queries = request.queries[first : first + SLICE_QUERIES]
            for response in await asyncio.to_thread(
                self._retrieve, request.kb_id, mode, list(queries), first, request.text_ranks
            ):
                yield response

    async def RetrieveRankings(  # noqa: N802
        self, request: v1.RetrieveRankingsRequest, context: Any
    ) -> AsyncIterator[v1.RetrieveRankingsResponse]:
        """Ask a knowledge base; yields the rankings of some queries at a time, in their order."""
        mode = _mode_of(request)
        check_named_paths([(ComponentKind.QUERY_ENGINE, mode.engine, "mode.engine")], self._folders)
        if callers.current().tenant != callers.ALL_TENANTS:
            await asyncio.to_thread(self._own, request.kb_id)
        for first in range(0, max(len(request.queries), 1), SLICE_QUERIES):
            queries = list(request.queries[first : first + SLICE_QUERIES])
            yield await asyncio.to_thread(self._rankings, request.kb_id, mode, queries, request.text_ranks)

    def _own(self, kb_id: str) -> KnowledgeBaseManifest:
        """Return a knowledge base of documents that a benchmark of who calls has; others do not exist."""
        manifest = self._library.manifest(kb_id)
        if not self._holds(manifest):
            raise NotFoundError(f"there is no knowledge base {kb_id!r}")
        return manifest

    def _holds(self, manifest: KnowledgeBaseManifest) -> bool:
        return self._holdings.holds_documents(
            callers.current(), manifest.benchmark, manifest.split, manifest.documents_digest
        )

    def _rankings(
        self, kb_id: str, mode: QueryMode, queries: list[str], text_ranks: int
    ) -> v1.RetrieveRankingsResponse:
        knowledge_base = self._library.get(kb_id)
        searched = _searched(knowledge_base, queries, mode)
        return rankings_to_wire(
            knowledge_base,
            searched.found,
            text_ranks=text_ranks,
            retrieve_ms=searched.each_ms,
            embedded=searched.embedded,
        )

    def _retrieve(
        self, kb_id: str, mode: QueryMode, queries: list[str], first: int, text_ranks: int
    ) -> list[v1.RetrieveResponse]:
        knowledge_base = self._library.get(kb_id)
        searched = _searched(knowledge_base, queries, mode)
        return [
            response_to_wire(
                knowledge_base, number, hits, text_ranks=text_ranks, retrieve_ms=searched.each_ms, embedded=took
            )
            for number, (hits, took) in enumerate(zip(searched.found, searched.embedded, strict=True), start=first)
        ]

    def _build(self, ref: ObjectRef, unit_id: str, build: BuildPart) -> KnowledgeBaseManifest:
        benchmark = self._shelf.benchmark(self._objects, ref)
        unit = benchmark.unit(unit_id)
        build = resolved(build)
        kb_id = KnowledgeBaseIdentity(unit.documents_digest, build, component_versions(build)).kb_id
        try:
            return self._library.manifest(kb_id)
        except NotFoundError:
            pass
        self._cache_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self._cache_dir, prefix="build-") as scratch:
            built = build_and_store(
                benchmark, unit, build, self._ingested(benchmark), resources=self._resources, scratch=Path(scratch)
            )
        self._objects.create(object_keys.kb_manifest(kb_id), stored.encode(built.manifest), media_type=stored.JSON)
        return self._library.manifest(kb_id)

    def _ingested(self, benchmark: PreparedBenchmark) -> dict[str, IngestedOriginal]:
        manifest = benchmark.manifest
        originals: dict[str, IngestedOriginal] = {}
        for part in range(len(manifest.original_parts)):
            try:
                data = self._objects.read_key(object_keys.ingested_part(manifest.fingerprint, part))
            except NotFoundError:
                raise InvalidInputError(
                    f"part {part} of the originals of {manifest.benchmark.name!r} is not in raw storage; ingest it"
                ) from None
            originals.update(originals_of(data))
        return originals


def _mode_of(request: v1.RetrieveRequest | v1.RetrieveRankingsRequest) -> QueryMode:
    if len(request.queries) > MAX_QUERIES:
        raise InvalidInputError(f"at most {MAX_QUERIES} queries may be asked at once, not {len(request.queries)}")
    return codec.query_mode_from_wire(request.mode)


@dataclass(frozen=True, slots=True)
class _Searched:
    found: list[Hits | Failure]
    each_ms: float
    """Milliseconds that one query took."""
    embedded: list[Usage | None]
    """What embedding each query took at an endpoint; None where none was asked."""


def _searched(knowledge_base: KnowledgeBase, queries: list[str], mode: QueryMode) -> _Searched:
    began = time.perf_counter()
    with questions_embedded() as heard:
        found = knowledge_base.hits(queries, mode)
    each_ms = (time.perf_counter() - began) * 1000 / max(len(queries), 1)
    return _Searched(found, each_ms, of_each(queries, heard))
