"""The knowledge service over gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import grpc
import pytest

from bakeoff.contract import codec, object_keys, stored, subjects
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.service import service
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.rpc import make_server, open_server
from bakeoff.runtime.service import Deps, Peers
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import knowledge_service_pb2 as v1
from bakeoff.v1.knowledge_service_pb2_grpc import KnowledgeServiceStub
from tests.unit.knowledge.stored_benchmark import FINGERPRINT, Doc, StoredBenchmark, a_stored_benchmark

WORDS = codec.query_mode_to_wire(QueryMode("words", ComponentSpec("full_text_search"), 10))
DOCS = (
    Doc("mole", b"The harbour is closed by a mole of granite.", original_id="file"),
    Doc("light", "Das Licht am Pier ist grün. The light on the pier is green.".encode(), original_id="file"),
    Doc("cat/1 #?", b"The harbour master has a cat."),
)


def in_loop(scenario: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Make a test of a scenario that needs an event loop."""

    @wraps(scenario)
    def test(*args: Any, **kwargs: Any) -> None:
        asyncio.run(scenario(*args, **kwargs))

    return test


@asynccontextmanager
async def serving(benchmark: StoredBenchmark, folder: Path) -> AsyncIterator[KnowledgeServiceStub]:
    server = make_server()
    bus = MemoryBus()
    await bus.ensure(subjects.STREAMS, subjects.consumers(30.0), subjects.BUCKETS)
    deps = Deps(Settings(cache_dir=folder), benchmark.objects, bus, Peers({}))
    assert service.serve is not None
    running = await open_server(server, "127.0.0.1:0", service.serve(server, deps))
    async with grpc.aio.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        yield KnowledgeServiceStub(channel)
    await running.stop(0)


def ingested(*docs: Doc) -> StoredBenchmark:
    benchmark = a_stored_benchmark(*docs)
    benchmark.objects.create(object_keys.ingested_part(FINGERPRINT, 0), stored.encode(benchmark.ingested))
    return benchmark


async def build(stub: KnowledgeServiceStub, benchmark: StoredBenchmark, part: BuildPart | None = None) -> str:
    request = v1.BuildKnowledgeBaseRequest(
        prepared=codec.object_ref_to_wire(benchmark.ref),
        unit_id="u1",
        build=codec.build_part_to_wire(part or BuildPart()),
    )
    return (await stub.BuildKnowledgeBase(request)).knowledge_base.kb_id


@in_loop
async def test_a_knowledge_base_is_built_found_listed_and_deleted(tmp_path: Path) -> None:
    benchmark = ingested(*DOCS)
    async with serving(benchmark, tmp_path) as stub:
        kb_id = await build(stub, benchmark)

        got = (await stub.GetKnowledgeBase(v1.GetKnowledgeBaseRequest(kb_id=kb_id))).knowledge_base
        listed = [each.knowledge_base.kb_id async for each in stub.ListKnowledgeBases(v1.ListKnowledgeBasesRequest())]
        deleted = await stub.DeleteKnowledgeBase(v1.DeleteKnowledgeBaseRequest(kb_id=kb_id))
        again = await stub.DeleteKnowledgeBase(v1.DeleteKnowledgeBaseRequest(kb_id=kb_id))

    assert (got.benchmark, got.split, got.unit_id, got.documents, got.chunks) == ("b", "test", "u1", 3, 3)
    assert listed == [kb_id]
    assert deleted.existed
    assert not again.existed
    assert not list(benchmark.objects.list("kb/"))
    assert all(benchmark.objects.stat(original.raw_key) for original in benchmark.ingested)


@in_loop
async def test_passages_are_traced_to_their_bytes(tmp_path: Path) -> None:
    benchmark = ingested(*DOCS)
    async with serving(benchmark, tmp_path) as stub:
        kb_id = await build(stub, benchmark)
        request = v1.RetrieveRequest(kb_id=kb_id, mode=WORDS, queries=["light pier", "harbour"], text_ranks=1)
        light, harbour = [response async for response in stub.Retrieve(request)]

    [passage] = [codec.passage_from_wire(each) for each in light.passages]
    assert passage.document_id == "light"
    assert passage.chunk_id == "light#0"
    original = benchmark.objects.read_key(passage.raw_key)
    assert passage.raw_bytes is not None
    document = original[passage.raw_bytes.start : passage.raw_bytes.stop].decode()
    assert passage.text == document[passage.chars.start : passage.chars.stop] == DOCS[1].data.decode()
    assert [each.query_index for each in (light, harbour)] == [0, 1]
    assert [each.rank for each in harbour.passages] == [1, 2]
    assert harbour.passages[0].HasField("text")
    assert not harbour.passages[1].HasField("text")


@in_loop
async def test_a_blank_query_fails_alone_and_one_without_a_known_word_finds_nothing(tmp_path: Path) -> None:
    benchmark = ingested(*DOCS)
    async with serving(benchmark, tmp_path) as stub:
        kb_id = await build(stub, benchmark)
        request = v1.RetrieveRequest(kb_id=kb_id, mode=WORDS, queries=["harbour", " ", "zeppelin"])
        found, blank, unknown = [response async for response in stub.Retrieve(request)]

    assert found.passages
    assert not found.HasField("failure")
    assert "blank" in blank.failure.reason
    assert not unknown.passages
    assert not unknown.HasField("failure")


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"kb_id": "kb-" + "0" * 32}, grpc.StatusCode.NOT_FOUND, "no knowledge base"),
        ({"kb_id": "../../etc"}, grpc.StatusCode.NOT_FOUND, "no knowledge base"),
        ({"queries": ["q"] * 1001}, grpc.StatusCode.INVALID_ARGUMENT, "at most 1000"),
        (
            {"mode": codec.query_mode_to_wire(QueryMode("v", ComponentSpec("vector_search")))},
            grpc.StatusCode.INVALID_ARGUMENT,
            "no index 'dense'; it was built with bm25",
        ),
        (
            {"mode": codec.query_mode_to_wire(QueryMode("v", ComponentSpec("vectr_search")))},
            grpc.StatusCode.NOT_FOUND,
            "did you mean 'vector_search'",
        ),
        (
            {"mode": codec.query_mode_to_wire(QueryMode("h", ComponentSpec("hybrid_search", {"k": -1})))},
            grpc.StatusCode.INVALID_ARGUMENT,
            "cannot be made",
        ),
    ],
)
@in_loop
async def test_a_wrong_request_is_told_by_its_code_and_words(
    tmp_path: Path, change: dict[str, object], code: grpc.StatusCode, words: str
) -> None:
    benchmark = ingested(*DOCS)
    async with serving(benchmark, tmp_path) as stub:
        kb_id = await build(stub, benchmark)
        request = v1.RetrieveRequest(**{"kb_id": kb_id, "mode": WORDS, "queries": ["q"], **change})

        with pytest.raises(grpc.aio.AioRpcError) as caught:
            [response async for response in stub.Retrieve(request)]

    assert caught.value.code() is code
    assert words in (caught.value.details() or "")


@in_loop
async def test_a_build_before_the_originals_are_ingested_says_so(tmp_path: Path) -> None:
    benchmark = a_stored_benchmark(*DOCS)
    async with serving(benchmark, tmp_path) as stub:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await build(stub, benchmark)

    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "ingest it" in (caught.value.details() or "")


@in_loop
async def test_a_thousand_queries_come_back_in_order(tmp_path: Path) -> None:
    benchmark = ingested(*DOCS)
    async with serving(benchmark, tmp_path) as stub:
        kb_id = await build(stub, benchmark)
        request = v1.RetrieveRequest(kb_id=kb_id, mode=WORDS, queries=["harbour", "light"] * 500)
        responses = [response async for response in stub.Retrieve(request)]

    assert [response.query_index for response in responses] == list(range(1000))
    assert {response.passages[0].document_id for response in responses[1::2]} == {"light"}


@in_loop
async def test_rankings_by_columns_are_the_passages_of_retrieve(tmp_path: Path) -> None:
    benchmark = ingested(*DOCS)
    async with serving(benchmark, tmp_path) as stub:
        kb_id = await build(stub, benchmark)
        asked = {"kb_id": kb_id, "mode": WORDS, "queries": ["harbour", " ", "light", "zeppelin"] * 60, "text_ranks": 1}
        responses = [response async for response in stub.Retrieve(v1.RetrieveRequest(**asked))]
        columns = [response async for response in stub.RetrieveRankings(v1.RetrieveRankingsRequest(**asked))]

    rankings = [
        (ranking, codec.ranking_sources_from_wire(message.sources))
        for message in columns
        for ranking in message.rankings
    ]
    assert len(rankings) == len(responses) == 240
    for response, (ranking, sources) in zip(responses, rankings, strict=True):
        assert ranking.HasField("failure") == response.HasField("failure")
        passages = [codec.passage_from_wire(passage) for passage in response.passages]
        assert list(codec.ranking_from_wire(ranking, sources)) == passages


@in_loop
async def test_what_is_built_already_is_not_built_again(tmp_path: Path) -> None:
    benchmark = ingested(*DOCS)
    async with serving(benchmark, tmp_path) as stub:
        kb_id = await build(stub, benchmark)
        for original in benchmark.ingested:
            benchmark.objects.delete(original.raw_key)

        assert await build(stub, benchmark) == kb_id
