"""A thousand malformed requests and messages: each has a clear answer, and the platform works on as before."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from google.protobuf import message_factory

from bakeoff.contract import subjects
from bakeoff.domain.evaluation import EvaluationState, Stage
from bakeoff.v1 import evaluation_pb2, work_pb2
from tests.integration.guarded_platform import GuardedPlatform, guarded_platform, quick_start
from tests.integration.malformed import fill, spoil
from tests.integration.test_tenants import FILES, code_of

pytestmark = pytest.mark.timeout(300)

CALLS, MESSAGES = 600, 400
SEED = 20_320_401
UNCLEAR = (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED)


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedPlatform]:
    with guarded_platform(tmp_path_factory.mktemp("fuzzed")) as running:
        yield running


def methods() -> list[Any]:
    return [
        method for file in FILES for service in file.DESCRIPTOR.services_by_name.values() for method in service.methods
    ]


def test_every_malformed_call_has_a_clear_answer_and_the_platform_works_on(platform: GuardedPlatform) -> None:
    chance = random.Random(SEED)
    every = methods()
    calls: list[tuple[Any, list[bytes]]] = []
    for number in range(CALLS):
        method = every[number % len(every)]
        kind = message_factory.GetMessageClass(method.input_type)
        count = chance.randrange(4) if method.client_streaming else 1
        calls.append((method, [spoil(fill(kind(), chance).SerializeToString(), chance) for _ in range(count)]))
    codes: Counter[str] = Counter()
    with platform.client("operator") as client, ThreadPoolExecutor(4) as pool:

        def call(made: tuple[Any, list[bytes]]) -> tuple[grpc.StatusCode, str, str]:
            method, messages = made
            name = f"/{method.containing_service.full_name}/{method.name}"
            try:
                for _ in client._channel.stream_stream(name)(iter(messages), timeout=60):
                    pass
            except grpc.RpcError as error:
                return code_of(error), error.details() or "", name
            return grpc.StatusCode.OK, "", name

        unclear = []
        for made, (code, details, name) in zip(calls, pool.map(call, calls), strict=True):
            codes[code.name] += 1
            if code in UNCLEAR or (code is not grpc.StatusCode.OK and not details):
                unclear.append((name, code.name, details, [message.hex() for message in made[1]][:1]))
        assert not unclear, unclear[:5]
    assert codes["INVALID_ARGUMENT"] > 50, codes
    with platform.client("acme") as acme:
        *_, ended = acme.watch(acme.submit(quick_start("After the calls"))[0].evaluation_id)
    assert ended.state is EvaluationState.COMPLETED, ended.reason


def test_malformed_messages_stop_no_consumer(platform: GuardedPlatform) -> None:
    chance = random.Random(SEED + 1)
    stages = list(Stage)
    for number in range(MESSAGES):
        stage = stages[number % len(stages)]
        name = f"fuzz-{number}"
        kind, subject = chance.choice(
            [
                (evaluation_pb2.EvaluationRequest, subjects.request(chance.choice(["acme", "globex"]))),
                (work_pb2.Task, subjects.task(stage, name, "item")),
                (work_pb2.DoneFact, subjects.done(name, stage, "item")),
            ]
        )
        data = spoil(fill(kind(), chance).SerializeToString(), chance)
        asyncio.run(platform.bus.publish(subject, data))

    with platform.client("acme") as acme:
        *_, ended = acme.watch(acme.submit(quick_start("After the messages"))[0].evaluation_id)
    assert ended.state is EvaluationState.COMPLETED, ended.reason
    until(lambda: not waiting(platform), lambda: str(waiting(platform)))


def waiting(platform: GuardedPlatform) -> dict[str, int]:
    """Return how many messages each consumer has yet to end with, those with none left out."""
    counts = {each.durable: asyncio.run(platform.bus.pending(each)) for each in subjects.consumers(30.0)}
    return {name: count for name, count in counts.items() if count}


def until(holds: Callable[[], bool], what: Callable[[], str]) -> None:
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline, what()
        time.sleep(0.2)
