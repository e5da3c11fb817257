"""What other systems do, done: every example runs against a platform with a real bus, and one key is one evaluation."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema
import nats
import pytest
from google.protobuf import json_format
from nats.js.api import DeliverPolicy

from bakeoff.client import Client
from bakeoff.contract import subjects
from bakeoff.domain.evaluation import EvaluationState
from bakeoff.domain.identity import evaluation_id
from bakeoff.embedded import Embedded
from bakeoff.v1 import evaluation_pb2
from tests.conftest import ROOT

pytestmark = pytest.mark.timeout(180)

EXAMPLES = ROOT / "examples/integration"
DATA = ROOT / "examples/quickstart"
PAGE = ROOT / "docs/integration.md"
BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with Embedded(tmp_path_factory.mktemp("platform")) as platform:
        yield platform


@pytest.fixture(scope="module")
def client(platform: Embedded) -> Iterator[Client]:
    with Client(platform.address) as client:
        yield client


def a_request(key: str, **changes: Any) -> dict[str, Any]:
    """Return the request of the examples under another key, with its data where it is here."""
    text = (EXAMPLES / "request.json").read_text().replace("/data/quickstart", str(DATA))
    return {**json.loads(text), "idempotencyKey": key, **changes}


def written(folder: Path, request: dict[str, Any]) -> str:
    file = folder / "request.json"
    file.write_text(json.dumps(request))
    return str(file)


def example(platform: Embedded, *command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run an example as its reader would, with the variables that it names and no others of Bakeoff's."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")}
    settings = platform.settings
    given = {
        "NATS_URL": settings.nats_url,
        "NATS_TOKEN": settings.nats_token,
        "BAKEOFF_SERVER": platform.address,
        "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]),
    }
    done = subprocess.run(command, cwd=cwd, env={**plain, **given}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr + done.stdout
    return done


@asynccontextmanager
async def bus(platform: Embedded) -> AsyncIterator[Any]:
    connection = await nats.connect(platform.settings.nats_url, token=platform.settings.nats_token)
    try:
        yield connection
    finally:
        await connection.close()


def on_the_bus(platform: Embedded, do: Callable[[Any], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with bus(platform) as connection:
            return await do(connection)

    return asyncio.run(run())


async def events_of(connection: Any, name: str, until: str) -> list[Any]:
    """Return an evaluation's events from the first to one of a kind."""
    stream = connection.jetstream()
    events = await stream.subscribe(
        f"bakeoff.v1.event.{name}.*", ordered_consumer=True, deliver_policy=DeliverPolicy.ALL
    )
    seen = []
    while True:
        event = await events.next_msg(60)
        seen.append(event)
        if event.subject.endswith(f".{until}"):
            return seen


# The examples


def test_a_nats_client_alone_asks_for_an_evaluation_and_follows_it(
    platform: Embedded, client: Client, tmp_path: Path
) -> None:
    file = written(tmp_path, a_request("by the bus"))

    first = example(platform, sys.executable, str(EXAMPLES / "bus_request.py"), file, cwd=tmp_path)
    again = example(platform, sys.executable, str(EXAMPLES / "bus_request.py"), file, cwd=tmp_path)

    name, *events = first.stdout.splitlines()
    kinds = [line.split()[1] for line in events]
    assert (kinds[0], kinds[-1]) == ("accepted", "completed")
    assert {"prepared", "built"} <= set(kinds)
    assert again.stdout.splitlines()[0] == name == evaluation_id("default", "by the bus")
    assert again.stdout.count("accepted") == again.stdout.count("completed") == 1
    assert [entrant.failed_cases for entrant in client.report(name).entrants] == [0, 0]


def test_grpcurl_submits_follows_and_fetches_the_report(platform: Embedded, client: Client, tmp_path: Path) -> None:
    file = written(tmp_path, a_request("by grpcurl"))

    done = example(platform, str(EXAMPLES / "grpc_request.sh"), file, "report.html", cwd=tmp_path)

    name = done.stdout.strip()
    assert name == evaluation_id("default", "by grpcurl")
    assert done.stderr.split()[-1] == "COMPLETED"
    assert (tmp_path / "report.html").read_bytes() == b"".join(client.report_file(name, "html"))
    example(platform, str(EXAMPLES / "grpc_report.sh"), name, "PARQUET", "cases.parquet", cwd=tmp_path)
    assert (tmp_path / "cases.parquet").read_bytes() == b"".join(client.report_file(name, "parquet"))


def test_the_class_runs_a_file_and_traces_an_answer(platform: Embedded, tmp_path: Path) -> None:
    done = example(
        platform, sys.executable, str(EXAMPLES / "client_run.py"), str(EXAMPLES / "evaluation.yaml"), cwd=tmp_path
    )

    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["whole/full_text_search", "sentences/full_text_search"]
    assert re.match(r"(whole|sentences)/full_text_search missed q\d+: ", lines[2])
    assert "raw/benchmarks/" in lines[3]
    assert done.stderr.splitlines()[-1] == "completed"


def test_the_class_awaited_runs_two_at_once(platform: Embedded, tmp_path: Path) -> None:
    data = (str(DATA / "documents"), str(DATA / "questions.yaml"))

    done = example(platform, sys.executable, str(EXAMPLES / "client_async.py"), *data, cwd=tmp_path)

    assert all(re.fullmatch(r"\S+: \d\.\d{3}, [+-]\d\.\d{3} by sentences", line) for line in done.stdout.splitlines())
    assert done.stdout


# One key is one evaluation, whichever way it comes


def test_published_twice_in_two_forms_and_called_with_the_same_key_is_one_evaluation(
    platform: Embedded, client: Client
) -> None:
    request = a_request("all ways")
    message = json_format.ParseDict(request, evaluation_pb2.EvaluationRequest())
    name = evaluation_id("default", "all ways")

    async def ask(connection: Any) -> list[Any]:
        stream, subject = connection.jetstream(), subjects.request("default")
        await stream.publish(subject, json.dumps(request).encode())
        await stream.publish(subject, message.SerializeToString())
        called = await asyncio.to_thread(submit, client, request)
        assert called == name
        await stream.publish(subject, json.dumps(request).encode())
        events: list[Any] = await events_of(connection, name, "completed")
        await until_taken(stream)
        return events

    events = on_the_bus(platform, ask)

    kinds = [event.subject.rpartition(".")[2] for event in events]
    assert kinds.count("accepted") == kinds.count("completed") == 1
    assert [status.evaluation_id for status in client.evaluations()].count(name) == 1
    assert submit(client, request) == name
    assert client.get(name).state is EvaluationState.COMPLETED


def test_without_a_key_the_content_is_the_key(platform: Embedded, client: Client) -> None:
    request = a_request("", name="By content")
    del request["idempotencyKey"]

    async def ask(connection: Any) -> None:
        stream = connection.jetstream()
        for _ in range(2):
            await stream.publish(subjects.request("default"), json.dumps(request).encode())
        await until_taken(stream)

    on_the_bus(platform, ask)

    named = [status.evaluation_id for status in client.evaluations() if status.name == "By content"]
    assert named == [submit(client, request)]


def submit(client: Client, request: dict[str, Any]) -> str:
    from bakeoff.contract.codec import request_from_wire

    asked = request_from_wire(json_format.ParseDict(request, evaluation_pb2.EvaluationRequest()))
    return client.submit(asked).status.evaluation_id


async def until_taken(stream: Any) -> None:
    """Wait until no request is on the bus: each was accepted or refused."""
    async with asyncio.timeout(60):
        await taken(stream)


async def taken(stream: Any) -> None:
    while (await stream.stream_info(subjects.REQUESTS)).state.messages:
        await asyncio.sleep(0.05)


def test_a_request_that_is_none_is_refused_and_holds_nobody_up(platform: Embedded, client: Client) -> None:
    wrong = a_request("wrong", recipes=[{"name": "r", "build": {"chunker": "nope", "indexes": ["bm25"]}}])

    async def ask(connection: Any) -> list[Any]:
        stream, subject = connection.jetstream(), subjects.request("default")
        for data in (b"", b"{", b"\xff\xff", b'{"nam": "x"}', b"{" * 100_000, json.dumps(wrong).encode()):
            await stream.publish(subject, data)
        events: list[Any] = await events_of(connection, evaluation_id("default", "wrong"), "failed")
        await until_taken(stream)
        return events

    (refused,) = on_the_bus(platform, ask)

    event = evaluation_pb2.EvaluationEvent.FromString(refused.data)
    assert "nope" in event.evaluation.reason
    assert client.components()


# What is written about it


def test_the_published_schemas_hold_for_the_request_and_for_every_event(platform: Embedded, tmp_path: Path) -> None:
    schemas = {
        name: json.loads((ROOT / f"docs/schema/{name}.schema.json").read_text()) for name in ("request", "event")
    }
    jsonschema.validate(json.loads((EXAMPLES / "request.json").read_text()), schemas["request"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"nam": "x"}, schemas["request"])
    file = written(tmp_path, a_request("for the schema"))
    example(platform, sys.executable, str(EXAMPLES / "bus_request.py"), file, cwd=tmp_path)
    name = evaluation_id("default", "for the schema")

    events = on_the_bus(platform, lambda connection: events_of(connection, name, "completed"))

    for event in events:
        message = evaluation_pb2.EvaluationEvent.FromString(event.data)
        jsonschema.validate(json_format.MessageToDict(message), schemas["event"])
        assert event.headers["ce-type"] == "bakeoff.v1.EvaluationEvent"
    proto = "bakeoff/v1/evaluation.proto"
    decoded = subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", "-Iproto", "--decode=bakeoff.v1.EvaluationEvent", proto],
        cwd=ROOT,
        input=events[-1].data,
        capture_output=True,
        check=True,
    ).stdout.decode()
    assert 'kind: "completed"' in decoded
    assert "report {" in decoded


def test_every_subject_and_stream_of_the_page_exists() -> None:
    page = PAGE.read_text()
    named = {
        re.sub(r"<\w+>|\$\w+|ev-[0-9a-f]+", "x", found)
        for found in re.findall(r"bakeoff\.v1\.[a-z]+\.[\w.<>$*-]+", page)
    }

    assert named
    assert {subjects.stream_of(subject.rstrip(".")) for subject in named} <= {subjects.REQUESTS, subjects.EVENTS}
    assert subjects.EVENTS in page


def test_every_example_stands_in_the_page_and_is_run_here() -> None:
    page, here = PAGE.read_text(), Path(__file__).read_text()
    files = {file.name for file in EXAMPLES.iterdir() if file.is_file()}
    beside = {"grpc_call" + ".sh"}  # read by the scripts

    assert [file for file in files if file not in page] == []
    assert {file for file in files if file not in here} == beside
