"""Methods that cannot stand together are refused by whoever takes the request, however it came."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bakeoff.control.engine import Engine
from bakeoff.control.trial import ScoringTrial
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import EvaluationRequest, EvaluationState, Rescoring
from bakeoff.runtime.rpc import make_server
from bakeoff.runtime.service import Peers
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rpc import ScoringRpc
from bakeoff.v1 import scoring_service_pb2_grpc
from tests.builders import a_request
from tests.unit.control.platform import FakePlatform
from tests.unit.control.test_engine import scenario

RECALL = ComponentSpec("recall", {"k": 3})
SAME = [ComponentSpec("duel", {"base_url": "http://127.0.0.1:1/v1", "model": name}) for name in ("a", "b")]


async def refuse(specs: Sequence[ComponentSpec], field: str) -> None:
    raise InvalidInputError(f"{field}: two evaluators give the metric 'recall@3'")


def test_what_is_wrong_with_a_requests_methods_refuses_it() -> None:
    async def steps(platform: FakePlatform) -> None:
        intake = replace(platform.intake, try_methods=refuse)
        choice = BenchmarkChoice(ComponentSpec("beir", {"path": "x"}), evaluators=(RECALL,))
        with pytest.raises(InvalidInputError, match=r"benchmarks\[0\]\.evaluators: two evaluators"):
            await intake.accept(replace(a_request(), benchmarks=(choice,)))

    scenario(steps)


def test_what_is_wrong_with_a_rescorings_methods_refuses_it() -> None:
    async def steps(platform: FakePlatform) -> None:
        accepted = await platform.intake.accept(a_request())
        await platform.engine.advance(accepted.record.evaluation_id)
        await platform.finish()
        wish = EvaluationRequest("", (), (), rescoring=Rescoring(accepted.record.evaluation_id, (RECALL,)))
        with pytest.raises(InvalidInputError, match=r"rescoring\.evaluators: two evaluators"):
            await replace(platform.intake, try_methods=refuse).accept(wish)

    scenario(steps)


def test_what_is_wrong_with_a_benchmarks_own_methods_fails_the_evaluation_before_anything_is_asked() -> None:
    async def steps(platform: FakePlatform) -> None:
        platform.engine = Engine(platform.bus, platform.objects, 64, refuse)
        accepted = await platform.intake.accept(a_request())
        await platform.engine.advance(accepted.record.evaluation_id)
        await platform.finish()
        status = await platform.engine.status(accepted.record.evaluation_id)
        assert status.state is EvaluationState.FAILED
        assert status.reason == "benchmark 'bench', evaluators: two evaluators give the metric 'recall@3'"
        assert not [item for item in platform.ran if item.startswith(("infer/", "score/"))]

    scenario(steps)


def tried(specs: Sequence[ComponentSpec]) -> None:
    """Try methods at a scoring service."""

    async def steps() -> None:
        server = make_server()
        scoring_service_pb2_grpc.add_ScoringServiceServicer_to_server(ScoringRpc(), server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        peers = Peers({"scoring": f"127.0.0.1:{port}"})
        try:
            await ScoringTrial(peers)(specs, "benchmarks[0].evaluators")
        finally:
            peers.close()
            await server.stop(None)

    evaluators.load()
    asyncio.run(steps())


def test_the_scoring_service_tells_of_two_methods_with_one_metric() -> None:
    with pytest.raises(InvalidInputError) as caught:
        tried(SAME)
    (violation,) = caught.value.violations
    assert violation.field == "benchmarks[0].evaluators"
    assert "two evaluators give the metric 'win_rate" in violation.problem


def test_right_methods_pass_and_so_does_everything_when_nobody_can_be_asked() -> None:
    tried([RECALL, SAME[0]])
    asyncio.run(ScoringTrial(Peers({"scoring": "127.0.0.1:1"}))(SAME, "evaluators"))
