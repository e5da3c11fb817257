"""The inference service over gRPC, with a knowledge service that finds what it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import wraps
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from bakeoff.contract import codec
from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError, OutOfReachError, UnavailableError
from bakeoff.domain.prompt import Usage
from bakeoff.domain.ranking import Ranking
from bakeoff.domain.recipe import AnswerPart
from bakeoff.inference.retrieval import KnowledgeRetriever
from bakeoff.inference.rpc import row_case
from bakeoff.inference.service import service
from bakeoff.runtime.memory_bus import MemoryBus
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.ports import free_port
from bakeoff.runtime.rpc import make_server, open_server
from bakeoff.runtime.service import Peers
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import answer_pb2
from bakeoff.v1 import inference_service_pb2 as pb
from bakeoff.v1 import knowledge_service_pb2 as kb
from bakeoff.v1.inference_service_pb2_grpc import InferenceServiceStub
from bakeoff.v1.knowledge_service_pb2_grpc import KnowledgeServiceServicer, add_KnowledgeServiceServicer_to_server
from tests.builders import a_mode, a_passage

MODE = codec.query_mode_to_wire(a_mode(top_k=10))
QUOTES = codec.answer_part_to_wire(AnswerPart(ComponentSpec("extractive"), 2))
EMBEDDED = Usage(3, 0, None, 0.25, 0)
UNASKED = Failure(FailureKind.INPUT, "the question has no words")


class Shelf(KnowledgeServiceServicer):
    """Finds two passages for a question, nothing for `?`, and raises what a knowledge base is named after."""

    ERRORS = {  # noqa: RUF012  # never changed
        "missing": NotFoundError("no knowledge base 'missing'"),
        "invalid": InvalidInputError("no engine is named 'nope'"),
        "busy": UnavailableError("the object store does not answer"),
        "broken": RuntimeError("a secret of the server"),
    }

    async def RetrieveRankings(  # noqa: N802
        self, request: kb.RetrieveRankingsRequest, context: Any
    ) -> AsyncIterator[kb.RetrieveRankingsResponse]:
        if request.kb_id in self.ERRORS:
            raise self.ERRORS[request.kb_id]
        for query in request.queries:  # in as many messages as it likes
            if query == "?":
                failed = answer_pb2.Ranking(failure=codec.failure_to_wire(UNASKED), retrieve_ms=0.5)
                yield kb.RetrieveRankingsResponse(rankings=[failed])
                continue
            texts = [f"The {query} is at sea." if request.text_ranks >= 1 else None, None]
            found = Ranking.of(a_passage(f"d{rank}", rank=rank, text=text) for rank, text in enumerate(texts, start=1))
            ranking = codec.ranking_to_wire(found)
            ranking.retrieve_ms = 0.5
            if query == "tug":
                ranking.embedding_usage.CopyFrom(codec.usage_to_wire(EMBEDDED))
            sources = codec.ranking_sources_to_wire(found.sources)
            yield kb.RetrieveRankingsResponse(sources=sources, rankings=[ranking])


@dataclass
class Platform:
    """Both services, and how to reach them."""

    stub: InferenceServiceStub
    peers: Peers

    async def retrieve(self, kb_id: str, *queries: str, text_ranks: int = 1) -> Any:
        retriever = KnowledgeRetriever(self.peers.channel("knowledge"), kb_id, a_mode(), text_ranks)
        return await asyncio.to_thread(retriever, queries)


@asynccontextmanager
async def platform() -> AsyncIterator[Platform]:
    knowledge, inference = make_server(), make_server()
    add_KnowledgeServiceServicer_to_server(Shelf(), knowledge)
    shelf = await open_server(knowledge, "127.0.0.1:0", ())
    peers = Peers({"knowledge": f"127.0.0.1:{shelf.port}"})
    service.cards(Settings())  # loads the generators, as a start does
    assert service.serve is not None
    deps = SimpleNamespace(peers=peers, settings=Settings(), objects=MemoryObjects(), bus=MemoryBus())
    names = service.serve(inference, deps)  # type: ignore[arg-type]  # all that it needs
    assert names == ("bakeoff.v1.InferenceService",)
    running = await open_server(inference, "127.0.0.1:0", names)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        yield Platform(InferenceServiceStub(channel), peers)
    peers.close()
    await running.stop(0)
    await shelf.stop(0)


def on_platform(scenario: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Make a test of a scenario that needs both services."""

    async def run(*args: Any, **kwargs: Any) -> None:
        async with platform() as running:
            await scenario(running, *args, **kwargs)

    def test(*args: Any, **kwargs: Any) -> None:
        asyncio.run(run(*args, **kwargs))

    wraps(scenario)(test)
    del test.__wrapped__  # type: ignore[attr-defined]  # pytest must not see the first parameter
    return test


@on_platform
async def test_retrieval_keeps_the_order_of_the_questions(running: Platform) -> None:
    found = await running.retrieve("kb", "boat", "?", "tug")

    assert [each.passages[0].text if each.passages else None for each in found] == [
        "The boat is at sea.",
        None,
        "The tug is at sea.",
    ]
    assert [each.failure for each in found] == [None, UNASKED, None]
    assert found[0].retrieve_ms == 0.5
    assert [each.embedding for each in found] == [None, None, EMBEDDED]


@on_platform
async def test_errors_of_the_knowledge_service_keep_their_class(running: Platform) -> None:
    for kb_id, kind in (("missing", NotFoundError), ("invalid", InvalidInputError), ("busy", OutOfReachError)):
        with pytest.raises(kind, match=r"knowledge base|engine|object store"):
            await running.retrieve(kb_id, "boat")
    with pytest.raises(RuntimeError, match="INTERNAL") as error:
        await running.retrieve("broken", "boat")
    assert not isinstance(error.value, UnavailableError)
    assert "secret" not in str(error.value)


def test_a_knowledge_service_that_is_not_there_is_out_of_reach() -> None:
    peers = Peers({"knowledge": f"127.0.0.1:{free_port()}"})
    retriever = KnowledgeRetriever(peers.channel("knowledge"), "kb", a_mode(), 0)

    with pytest.raises(OutOfReachError, match="knowledge service"):
        retriever(["boat"])
    peers.close()


@on_platform
async def test_a_question_is_answered_with_its_passages(running: Platform) -> None:
    request = pb.AnswerRequest(kb_id="kb", mode=MODE, answer=QUOTES, query="boat", seed=1)

    answer = codec.case_answer_from_wire((await running.stub.Answer(request)).answer)

    assert answer.case_id == "boat"
    assert answer.text == "The boat is at sea."
    assert [passage.document_id for passage in answer.passages] == ["d1", "d2"]
    assert answer.passages[0].text == "The boat is at sea."
    assert answer.failure is None
    assert answer.timing.retrieve_ms == 0.5


@on_platform
async def test_without_an_answer_part_there_are_passages_alone(running: Platform) -> None:
    answer = (await running.stub.Answer(pb.AnswerRequest(kb_id="kb", mode=MODE, query="boat"))).answer

    assert not answer.HasField("text")
    assert len(answer.passages) == 2


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"query": " "}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"kb_id": "missing"}, grpc.StatusCode.NOT_FOUND),
        ({"kb_id": "busy"}, grpc.StatusCode.UNAVAILABLE),
        ({"answer": pb.AnswerRequest(answer={"generator": "nope"}).answer}, grpc.StatusCode.NOT_FOUND),
        ({"answer": pb.AnswerRequest(answer={"generator": "3!"}).answer}, grpc.StatusCode.INVALID_ARGUMENT),
        (
            {"answer": pb.AnswerRequest(answer={"generator": "extractive(max_chars=1)"}).answer},
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
        (
            {"answer": codec.answer_part_to_wire(AnswerPart(ComponentSpec("extractive"), template="{question}"))},
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
    ],
)
def test_what_cannot_be_answered_is_told_by_its_status(changes: dict[str, Any], code: grpc.StatusCode) -> None:
    request = {"kb_id": "kb", "mode": MODE, "answer": QUOTES, "query": "boat", **changes}

    @on_platform
    async def scenario(running: Platform) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await running.stub.Answer(pb.AnswerRequest(**request))
        assert error.value.code() is code

    scenario()


@on_platform
async def test_rows_are_answered_as_they_come(running: Platform) -> None:
    call = running.stub.GenerateAnswers()
    row = pb.GenerateAnswersRequest(row_id="1", question="red boat", contexts=["A tug. A red boat."], answer=QUOTES)
    await call.write(row)
    first = await call.read()  # before anything else was sent
    await call.write(pb.GenerateAnswersRequest(row_id="2", question="red boat"))
    await call.write(pb.GenerateAnswersRequest(row_id="3", question="tug", contexts=["", "", "A red tug."]))
    await call.done_writing()
    rest = [await call.read(), await call.read()]
    assert await call.read() is grpc.aio.EOF

    assert (first.row_id, first.text) == ("1", "A red boat.")
    assert [(response.row_id, response.text) for response in rest] == [
        ("2", ""),  # no contexts, no answer
        ("3", ""),  # the third context is beyond the two that the generator sees
    ]
    assert all(response.HasField("text") for response in rest)


@on_platform
async def test_what_a_generator_without_a_model_would_overlook_is_refused(running: Platform) -> None:
    part = AnswerPart(ComponentSpec("extractive"), template="{question}", samples=2)
    row = pb.GenerateAnswersRequest(row_id="1", question="boat", answer=codec.answer_part_to_wire(part))

    with pytest.raises(grpc.aio.AioRpcError) as error:
        await running.stub.GenerateAnswers(iter([row])).read()
    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT


@on_platform
async def test_a_first_row_without_an_answer_part_names_the_field(running: Platform) -> None:
    call = running.stub.GenerateAnswers(iter([pb.GenerateAnswersRequest(row_id="1", question="boat")]))

    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call.read()
    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_a_rows_choices_contexts_and_type_are_where_prompts_look_for_them() -> None:
    row = pb.GenerateAnswersRequest(row_id="1", question="Q?", contexts=["c"], choices=["x", "y"])
    row.eval_type = "key3_q_choices_as"

    case = row_case(row)

    assert (case.case_id, case.query) == ("1", "Q?")
    assert case.metadata == {"contexts": ["c"], "choices": ["x", "y"], "eval_type": "key3_q_choices_as"}
    assert row_case(pb.GenerateAnswersRequest(row_id="2", question="Q?")).metadata == {"contexts": []}


@on_platform
async def test_a_row_of_an_unknown_type_fails_alone_and_names_the_types(running: Platform) -> None:
    unreachable = ComponentSpec("openai", {"base_url": "http://127.0.0.1:1/v1", "model": "m"})
    row = pb.GenerateAnswersRequest(row_id="1", question="Q?", eval_type="key2_qb")
    row.answer.CopyFrom(codec.answer_part_to_wire(AnswerPart(unreachable)))

    (response,) = [response async for response in running.stub.GenerateAnswers(iter([row]))]

    assert "did you mean 'key2_qa'?" in response.failure.reason
    assert not response.HasField("text")
