"""`BenchmarkService` over a real connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from bakeoff.contract import codec
from bakeoff.preparation.rpc import BenchmarkServicer
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.rpc import error_of, make_server
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import benchmark_service_pb2 as v1
from bakeoff.v1 import benchmark_service_pb2_grpc
from tests.builders.benchmark import a_benchmark
from tests.unit.preparation.conftest import Outcome

Prepare = Callable[..., Outcome]
Write = Callable[..., Path]


def call(objects: MemoryObjects, ask: Callable[[Any], Awaitable[Any]]) -> Any:
    """Run one exchange with a server of its own."""

    async def exchange() -> Any:
        server = make_server()
        servicer = BenchmarkServicer(objects, Settings())
        benchmark_service_pb2_grpc.add_BenchmarkServiceServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                return await ask(benchmark_service_pb2_grpc.BenchmarkServiceStub(channel))
        finally:
            await server.stop(None)

    return asyncio.run(exchange())


def listed(outcome: Outcome, **request: int) -> list[str]:
    async def ask(stub: Any) -> list[str]:
        fingerprint = outcome.manifest.fingerprint
        return [
            each.case.case_id async for each in stub.ListCases(v1.ListCasesRequest(fingerprint=fingerprint, **request))
        ]

    return call(outcome.objects, ask)  # type: ignore[no-any-return]


def test_a_sound_benchmark_passes_the_check(beir_folder: Write) -> None:
    request = v1.CheckBenchmarkRequest(benchmark=codec.benchmark_choice_to_wire(a_benchmark(str(beir_folder()))))
    response = call(MemoryObjects(), lambda stub: stub.CheckBenchmark(request))
    assert response.manifest.name == "harbour"


def test_a_wrong_benchmark_fails_with_field_violations(tmp_path: Path) -> None:
    request = v1.CheckBenchmarkRequest(benchmark=codec.benchmark_choice_to_wire(a_benchmark(str(tmp_path / "gone"))))
    with pytest.raises(grpc.RpcError) as caught:
        call(MemoryObjects(), lambda stub: stub.CheckBenchmark(request))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "beir.path: " in str(error_of(caught.value, "the service"))


def test_a_prepared_benchmark_is_shown_with_units_and_findings(prepare_as: Prepare, beir_folder: Write) -> None:
    outcome = prepare_as("beir", path=str(beir_folder(qrels=b"q1\td1\t1\nq1\tgone\t1\n")))
    request = v1.GetBenchmarkRequest(fingerprint=outcome.manifest.fingerprint)
    benchmark = call(outcome.objects, lambda stub: stub.GetBenchmark(request)).benchmark
    assert (benchmark.documents, benchmark.cases, benchmark.manifest.name) == (2, 1, "harbour")
    assert [(unit.unit_id, unit.cases.start, unit.cases.stop) for unit in benchmark.units] == [("corpus", 0, 1)]
    assert [(finding.code, finding.count) for finding in benchmark.findings] == [("dangling_judgement", 1)]
    assert codec.object_ref_from_wire(benchmark.ref) == outcome.ref


@pytest.mark.parametrize(
    ("fingerprint", "code"),
    [("0" * 64, grpc.StatusCode.NOT_FOUND), ("../../x", grpc.StatusCode.INVALID_ARGUMENT)],
)
def test_a_fingerprint_that_nothing_has_is_refused(fingerprint: str, code: grpc.StatusCode) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        call(MemoryObjects(), lambda stub: stub.GetBenchmark(v1.GetBenchmarkRequest(fingerprint=fingerprint)))
    assert caught.value.code() is code


def test_cases_are_streamed_whole_or_in_part(prepare_as: Prepare, beir_folder: Write) -> None:
    queries = b"".join(b'{"_id":"q%d","text":"q"}\n' % number for number in range(700))
    qrels = b"".join(b"q%d\td1\t1\n" % number for number in range(700))
    outcome = prepare_as("beir", path=str(beir_folder(queries=queries, qrels=qrels)))
    assert listed(outcome) == [f"q{number}" for number in range(700)]
    assert listed(outcome, start=499, count=3) == ["q499", "q500", "q501"]
    assert listed(outcome, start=699, count=10) == ["q699"]
    assert listed(outcome, start=700) == []
