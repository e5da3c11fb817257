"""The embedder that asks an OpenAI-compatible endpoint, over a real socket."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import web

from bakeoff.contract import codec
from bakeoff.domain.answer import Failure
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import BakeoffError, InvalidInputError
from bakeoff.domain.prompt import Usage
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.knowledge.arrays import read_arrays
from bakeoff.knowledge.build import Built, build_knowledge_base
from bakeoff.knowledge.embedding import Embedder, connected, normalise
from bakeoff.knowledge.parsing import SourceDocument
from bakeoff.knowledge.publishing import Resources
from bakeoff.knowledge.registries import embedders
from bakeoff.knowledge.rpc import KnowledgeServicer
from bakeoff.knowledge.search import open_knowledge_base
from bakeoff.knowledge.service import service
from bakeoff.models.access import ModelAccess
from bakeoff.models.kept_vectors import VectorStore
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.service import Deps, Peers
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import knowledge_service_pb2 as v1
from tests.integration.scripted_endpoint import ScriptedEndpoint
from tests.unit.knowledge.stored_benchmark import Doc, a_stored_benchmark
from tests.unit.knowledge.test_rpc import in_loop, ingested

DIMENSION = 8


def vector_of(text: str) -> list[float]:
    """Any vector that depends on the text alone."""
    return [float(byte) - 100.0 for byte in hashlib.sha256(text.encode()).digest()[:DIMENSION]]


async def embed(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Refuse a batch with `bad` in a text, as an endpoint does that looks at its texts."""
    if any("bad" in text for text in body["input"]):
        return web.json_response({"error": {"message": "input is too long"}}, status=400)
    data = [{"index": n, "embedding": vector_of(text)} for n, text in enumerate(body["input"])]
    usage = {"prompt_tokens": 10 * len(body["input"]), "total_tokens": 0}
    return web.json_response({"data": data[::-1], "usage": usage})


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(embed) as running:
        yield running


def spec_of(endpoint: ScriptedEndpoint, **settings: object) -> ComponentSpec:
    said = {"base_url": endpoint.base_url, "model": "m", "dimension": DIMENSION, **settings}
    return ComponentSpec("openai", said)


def an_embedder(endpoint: ScriptedEndpoint, **settings: object) -> Embedder:
    return connected(embedders.load().make(spec_of(endpoint, **settings)), ModelAccess(Settings()))


def texts_of(endpoint: ScriptedEndpoint) -> list[list[str]]:
    return [seen.body["input"] for seen in endpoint.seen]


def sent_to(endpoint: ScriptedEndpoint) -> list[str]:
    return [text for texts in texts_of(endpoint) for text in texts]


def test_vectors_are_those_of_the_endpoint_in_order_with_texts_of_like_length_together(
    endpoint: ScriptedEndpoint,
) -> None:
    texts = ["a" * length for length in (9, 1, 7, 3, 5, 2)]

    vectors = an_embedder(endpoint, batch=2).embed(texts)

    assert vectors == pytest.approx(normalise(np.array([vector_of(text) for text in texts])), abs=1e-6)
    assert sorted(map(tuple, texts_of(endpoint))) == [
        ("a", "aa"), ("aaa", "aaaaa"), ("aaaaaaa", "aaaaaaaaa")
    ]  # fmt: skip


def test_blank_texts_are_not_sent_and_have_zero_vectors(endpoint: ScriptedEndpoint) -> None:
    vectors = an_embedder(endpoint).embed(["", "mole", " \n"])

    assert texts_of(endpoint) == [["mole"]]
    assert [bool(vector.any()) for vector in vectors] == [False, True, False]


def test_prefixes_and_parameters_are_sent(endpoint: ScriptedEndpoint) -> None:
    model = an_embedder(endpoint, query_prefix="q: ", passage_prefix="p: ", parameters={"dimensions": 8})

    model.embed(["mole"])
    model.embed_queries(["mole"])  # type: ignore[attr-defined]

    assert texts_of(endpoint) == [["p: mole"], ["q: mole"]]
    assert endpoint.seen[0].body["dimensions"] == 8


def test_h4_a_bad_passage_fails_alone_is_told_and_the_usage_is_that_of_the_build(
    endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    documents = [SourceDocument(f"d{n}", f"{'bad' if n == 5 else 'pier'} {n}".encode()) for n in range(9)]
    part = BuildPart(embedder=spec_of(endpoint, price_in=2.0), indexes=(ComponentSpec("dense"),))

    built = build_knowledge_base(documents, part, tmp_path / "kb", models=ModelAccess(Settings()))

    assert list(built.remarks) == ["d5"]
    assert built.remarks["d5"][0].startswith("1 chunk has no vector")
    assert built.work["texts_embedded"] == 9
    assert built.work["embedding_tokens"] == 80
    assert built.work["embedding_cost_micros"] == 160
    assert built.work["embedding_refused"] == 1
    opened = open_knowledge_base(tmp_path / "kb")
    good, bad = opened.search(["pier 3", "bad"], QueryMode("m", ComponentSpec("vector_search"), top_k=9))
    assert isinstance(good, tuple)
    assert good[0].document_id == "d3"
    assert isinstance(bad, Failure)
    assert "the query 'bad' was not embedded" in bad.reason


def build_of(endpoint: ScriptedEndpoint, folder: Path, models: ModelAccess, chunker: str, **settings: object) -> Built:
    documents = [SourceDocument(f"d{n}", f"The mole is of granite. Light {n} is green.".encode()) for n in range(9)]
    embedder = spec_of(endpoint, price_in=1000.0, batch=4, **settings)
    part = BuildPart(chunker=ComponentSpec.parse(chunker), embedder=embedder, indexes=(ComponentSpec("dense"),))
    return build_knowledge_base(documents, part, folder, models=models)


def test_a_text_is_paid_once_whoever_asks_again_and_however_it_was_cut(
    endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    objects = MemoryObjects()

    def models() -> ModelAccess:
        return ModelAccess(Settings(), vectors=VectorStore(objects))

    first = build_of(endpoint, tmp_path / "sentences", models(), "sentences(max_tokens=6)")
    assert sent_to(endpoint).count("The mole is of granite.") == 1  # in nine documents
    assert first.work["embedding_tokens"] == 10 * (9 + 1)
    assert first.measures == {"embedder.tokens": 100.0, "embedder.cost": pytest.approx(0.1)}

    endpoint.seen.clear()
    again = build_of(endpoint, tmp_path / "recursive", models(), "recursive(max_tokens=6)")
    other = build_of(endpoint, tmp_path / "whole", models(), "none")
    sent = sent_to(endpoint)
    assert again.chunks == first.chunks
    assert len(sent) == len(set(sent)) == 9  # the whole documents: nothing of the sentences
    assert again.work["embedding_found"] == again.work["texts_embedded"] == 10
    assert (again.work.get("embedding_tokens"), again.work["embedding_tokens_found"]) == (None, 100)
    assert again.measures == first.measures
    assert other.measures["embedder.tokens"] == other.work["embedding_tokens"] == 90
    found, paid = (read_arrays(tmp_path / each / "index-dense.safetensors")[0] for each in ("recursive", "sentences"))
    assert found["vectors"].tobytes() == paid["vectors"].tobytes()


def test_builders_of_the_service_pay_a_text_once(endpoint: ScriptedEndpoint, tmp_path: Path) -> None:
    texts = [f"The mole is of granite. Light {n} is green." for n in range(5)]
    benchmark = a_stored_benchmark(*(Doc(f"d{n}", text.encode()) for n, text in enumerate(texts)))

    def build(name: str, chunker: str, *indexes: str) -> tuple[int, int]:
        assert service.handler is not None
        deps = Deps(Settings(cache_dir=tmp_path / f"{name}-cache"), benchmark.objects, MemoryBus(), Peers({}))
        kinds = tuple(map(ComponentSpec, indexes))
        part = BuildPart(chunker=ComponentSpec.parse(chunker), embedder=spec_of(endpoint), indexes=kinds)
        counts = service.handler(deps).handle(benchmark.task(part), benchmark.context(tmp_path / name)).counts
        return counts.get("embedding_tokens", 0), counts.get("embedding_tokens_found", 0)

    assert build("first", "sentences(max_tokens=6)", "dense") == (60, 0)
    assert build("other chunker", "recursive(max_tokens=6)", "dense") == (0, 60)
    assert build("other index", "sentences(max_tokens=6)", "dense", "bm25") == (0, 60)
    assert len(sent_to(endpoint)) == 6
    assert set(sent_to(endpoint)) == {"The mole is of granite.", *(f"Light {n} is green." for n in range(5))}


def test_other_parameters_and_another_prefix_are_asked_for_anew(endpoint: ScriptedEndpoint) -> None:
    models = ModelAccess(Settings(), vectors=VectorStore(MemoryObjects()))

    for settings in ({}, {"parameters": {"dimensions": 8}}, {"passage_prefix": "p: "}, {"model": "n"}, {}):
        connected(embedders.load().make(spec_of(endpoint, **settings)), models).embed(["mole", "pier"])

    assert texts_of(endpoint) == [["mole", "pier"], ["mole", "pier"], ["p: mole", "p: pier"], ["mole", "pier"]]


def test_a_question_is_paid_once_and_refused_texts_are_asked_again(endpoint: ScriptedEndpoint) -> None:
    models = ModelAccess(Settings(), vectors=VectorStore(MemoryObjects()))

    def an_embedder() -> Any:
        return connected(embedders.load().make(spec_of(endpoint)), models)

    first = an_embedder().embed_queries(["mole", "pier", "mole"])
    second = an_embedder().embed_queries(["pier", "mole"])
    assert texts_of(endpoint) == [["mole", "pier"]]
    assert first[0].tobytes() == first[2].tobytes() == second[1].tobytes()

    assert not an_embedder().embed(["bad"]).any()
    assert not an_embedder().embed(["bad"]).any()
    assert texts_of(endpoint)[1:] == [["bad"], ["bad"]]


@in_loop
async def test_questions_tell_what_embedding_them_takes_and_whether_it_was_paid_now(
    endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    benchmark = ingested(Doc("mole", b"The harbour is closed by a mole of granite."), Doc("cat", b"A cat."))
    dense = ComponentSpec("dense")
    part = BuildPart(embedder=spec_of(endpoint, price_in=2.0), indexes=(dense, ComponentSpec("bm25")))
    # Ten tokens a text, of which a million cost 2.
    paid, kept = Usage(10, 0, None, 20e-6, 1), Usage(10, 0, None, 20e-6, 0)

    models = ModelAccess(Settings(), vectors=VectorStore(benchmark.objects))
    servicer = KnowledgeServicer(Resources(benchmark.objects, models=models), tmp_path)
    wanted = v1.BuildKnowledgeBaseRequest(
        prepared=codec.object_ref_to_wire(benchmark.ref), unit_id="u1", build=codec.build_part_to_wire(part)
    )
    kb_id = (await servicer.BuildKnowledgeBase(wanted, None)).knowledge_base.kb_id

    async def ask(engine: str, *queries: str) -> list[Usage | None]:
        mode = codec.query_mode_to_wire(QueryMode("m", ComponentSpec.parse(engine), 2))
        request = v1.RetrieveRankingsRequest(kb_id=kb_id, mode=mode, queries=queries)
        responses = servicer.RetrieveRankings(request, None)
        found = [told(each) async for response in responses for each in response.rankings]
        singly = v1.RetrieveRequest(kb_id=kb_id, mode=mode, queries=queries)
        again = [told(each) async for each in servicer.Retrieve(singly, None)]
        assert again == [each and kept for each in found], "whoever asks next finds the vectors there"
        return found

    assert await ask("vector_search", "mole", " ", "pier", "mole") == [paid, None, paid, kept]
    assert await ask("hybrid_search", "pier", "boat") == [kept, paid]
    assert await ask("full_text_search", "ship") == [None]
    # A refused question fails alone; the other one was paid before that showed, and is told so.
    assert await ask("vector_search", "bad", "crew") == [None, paid]


def told(found: Any) -> Usage | None:
    return codec.usage_from_wire(found.embedding_usage) if found.HasField("embedding_usage") else None


def test_what_has_come_is_kept_when_the_rest_does_not(endpoint: ScriptedEndpoint) -> None:
    models = ModelAccess(Settings(), vectors=VectorStore(MemoryObjects()))
    made = embedders.load().make(spec_of(endpoint, batch=1, most_at_once=1))

    async def refuse(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        return web.json_response({"error": {"message": "no such key"}}, status=401)

    endpoint.then(embed, refuse)
    with pytest.raises(BakeoffError):
        connected(made, models).embed(["mole", "harbour"])
    connected(made, models).embed(["mole", "harbour"])

    assert texts_of(endpoint)[0] == ["mole"]
    assert sent_to(endpoint).count("mole") == 1


def test_a_vector_of_another_dimension_than_the_recipe_says_is_an_error(endpoint: ScriptedEndpoint) -> None:
    with pytest.raises(InvalidInputError, match="vectors of 8 numbers, but the recipe says dimension=16"):
        an_embedder(endpoint, dimension=16).embed(["mole"])


def test_the_key_is_that_of_its_name_and_a_missing_one_is_told(endpoint: ScriptedEndpoint) -> None:
    made = embedders.load().make(spec_of(endpoint, key="mine"))

    connected(made, ModelAccess(Settings(keys={"mine": "s3cret"}))).embed(["mole"])

    assert endpoint.seen[0].headers["Authorization"] == "Bearer s3cret"
    with pytest.raises(InvalidInputError, match="there is no key named 'mine'"):
        connected(made, ModelAccess(Settings())).embed(["mole"])


def test_an_endpoint_that_refuses_everything_embeds_nothing(endpoint: ScriptedEndpoint) -> None:
    async def refuse(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        return web.json_response({"error": {"message": "no such key"}}, status=401)

    endpoint.otherwise = refuse

    with pytest.raises(BakeoffError):
        an_embedder(endpoint).embed(["mole", "pier"])


def test_an_endpoint_that_fails_for_a_while_is_asked_again(endpoint: ScriptedEndpoint) -> None:
    async def fail(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        return web.json_response({"error": {"message": "overloaded"}}, status=503)

    endpoint.then(fail, fail)

    assert an_embedder(endpoint).embed(["mole"]).any()
    assert len(endpoint.seen) == 3
