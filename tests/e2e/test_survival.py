"""Whatever dies on the way, the report is the same to the last digit."""

from __future__ import annotations

import csv
import io
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from bakeoff.client import Client
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.evaluation import EvaluationRequest, EvaluationState
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.load import load_report
from deploy.processes import Processes
from tests.conftest import ROOT
from tests.e2e.synthetic import a_bake_off, write_benchmark

CASES = 320
RAISES = [f"c{number:04d}" for number in (3, 50, 51, 127, 200, 319)]
KILLS = ["c0111"]
DEADLINE_S = 420.0


@contextmanager
def a_platform(folder: Path) -> Iterator[Processes]:
    settings = {
        "BAKEOFF_PLUGINS": "tests.e2e.faults",
        "PYTHONPATH": str(ROOT),
        "BAKEOFF_ACK_WAIT_S": "4",
        "BAKEOFF_SWEEP_S": "1",
        "BAKEOFF_LOG_LEVEL": "info",
    }
    with Processes(folder, {"inference": 2, "scoring": 2}, settings) as processes:
        yield processes


@contextmanager
def supervised(processes: Processes) -> Iterator[None]:
    """Start again whatever ends, as an orchestrator does."""
    stop = threading.Event()

    def supervise() -> None:
        while not stop.wait(0.2):
            processes.mend()

    thread = threading.Thread(target=supervise)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def patiently(processes: Processes, request: EvaluationRequest) -> str:
    """Submit until the platform has taken it."""
    deadline = time.monotonic() + 120
    while True:
        try:
            with Client(processes.address) as client:
                return client.submit(request)[0].evaluation_id
        except BakeoffError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.3)


def until_ended(processes: Processes, evaluation_id: str) -> EvaluationReport:
    deadline = time.monotonic() + DEADLINE_S
    while True:
        assert time.monotonic() < deadline, "the evaluation did not end"
        try:
            with Client(processes.address) as client:
                status = client.get(evaluation_id)
                if status.state.ended:
                    assert status.state is EvaluationState.COMPLETED, status.reason
                    return load_report(b"".join(client.report_file(evaluation_id, "json")))
        except BakeoffError:
            pass
        time.sleep(0.5)


def a_request(folder: Path) -> EvaluationRequest:
    benchmark = write_benchmark(folder, documents=60, cases=CASES)
    faults = ComponentSpec("faulty", {"raises": RAISES, "kills": KILLS, "delay_s": 0.05})
    return a_bake_off(benchmark, faults, key="the same for both", batch_cases=10)


def undisturbed(folder: Path, request: EvaluationRequest) -> EvaluationReport:
    with a_platform(folder) as processes, supervised(processes):
        return until_ended(processes, patiently(processes, request))


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_report_survives_killed_services_servers_and_double_submissions(tmp_path: Path) -> None:
    request = a_request(tmp_path / "benchmark")
    expected = undisturbed(tmp_path / "calm", request)

    rng = random.Random(11)
    killed: list[str] = []
    with a_platform(tmp_path / "storm") as processes, supervised(processes), ThreadPoolExecutor(2) as pool:
        # Everything is submitted twice, at the same time.
        names = set(pool.map(lambda _: patiently(processes, request), range(2)))
        assert len(names) == 1
        ended = pool.submit(until_ended, processes, names.pop())
        second = 0
        while not ended.done():
            time.sleep(1.0)
            second += 1
            if second in (4, 9, 14):
                processes.nats.kill()
                killed.append("nats")
                processes.nats.start()
            if second == 7:
                processes.s3.kill()
                killed.append("s3")
                time.sleep(1.5)
                processes.s3.start()
            if second <= 40:
                replica = rng.choice(processes.all)
                if replica.child is not None:
                    replica.child.kill()
                    killed.append(replica.name)
        report = ended.result()

    print(f"killed: {len(killed)} times: {', '.join(killed)}")
    assert killed.count("nats") == 3
    assert killed.count("s3") == 1
    assert report.digest == expected.digest
    for entrant in report.entrants:
        assert entrant.planned_cases == CASES
        assert entrant.failed_cases == len(RAISES) + len(KILLS)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_each_poisoned_case_fails_with_its_own_reason_and_no_other_does(tmp_path: Path) -> None:
    request = a_request(tmp_path / "benchmark")
    with a_platform(tmp_path / "platform") as processes, supervised(processes):
        evaluation_id = patiently(processes, request)
        until_ended(processes, evaluation_id)
        with Client(processes.address) as client:
            rows = b"".join(client.report_file(evaluation_id, "csv")).decode()
    failed = failures_by_case(rows)
    assert set(failed) == {*RAISES, *KILLS}
    for case in RAISES:
        assert failed[case] == {f"ValueError: told to raise for {case}"}
    for case in KILLS:
        assert all("killed the process" in reason and "SIGKILL" in reason for reason in failed[case])


def failures_by_case(rows: str) -> dict[str, set[str]]:
    failed: dict[str, set[str]] = {}
    for row in csv.DictReader(io.StringIO(rows)):
        if row["outcome"] == "failed":
            failed.setdefault(row["case"], set()).add(row["reason"])
    return failed
