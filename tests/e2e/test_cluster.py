"""A server of the bus goes away with its disk, and the report is the same to the last digit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.runtime.nats_cluster import NatsCluster
from deploy.processes import Processes
from tests.conftest import ROOT
from tests.e2e.poisoned import patiently, supervised, undisturbed, until_ended
from tests.e2e.synthetic import a_bake_off, write_benchmark

CASES = 320
RAISES = ["c0003", "c0200"]


@contextmanager
def a_platform(folder: Path) -> Iterator[tuple[Processes, NatsCluster]]:
    settings = {
        "BAKEOFF_PLUGINS": "tests.e2e.faults",
        "PYTHONPATH": str(ROOT),
        "BAKEOFF_ACK_WAIT_S": "4",
        "BAKEOFF_SWEEP_S": "1",
    }
    with Processes(folder, {"inference": 2, "scoring": 2}, settings, bus_servers=3) as processes:
        assert isinstance(processes.nats, NatsCluster)
        yield processes, processes.nats


def a_request(folder: Path) -> EvaluationRequest:
    benchmark = write_benchmark(folder, documents=60, cases=CASES)
    faults = ComponentSpec("faulty", {"raises": RAISES, "delay_s": 0.05})
    return a_bake_off(benchmark, faults, key="the same for both", batch_cases=10)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_report_survives_servers_of_the_bus_that_lose_their_disks(tmp_path: Path) -> None:
    request = a_request(tmp_path / "benchmark")
    expected = undisturbed(tmp_path / "calm", request)

    wiped: list[int] = []
    with a_platform(tmp_path / "storm") as (processes, bus), supervised(processes.mend), ThreadPoolExecutor(1) as pool:
        evaluation_id = patiently(processes.address, request)
        ended = pool.submit(until_ended, processes.address, evaluation_id)
        # One after the other, so that whoever leads a stream is among them; two always have all of it.
        for number in range(3):
            time.sleep(2.0)
            if ended.done():
                break
            bus.wipe(number)
            wiped.append(number)
            time.sleep(1.0)
            bus.start()
        during = not ended.done()
        report = ended.result()

    print(f"wiped: {wiped}; still at work after the last: {during}")
    assert wiped
    assert report.digest == expected.digest
    for entrant in report.entrants:
        assert entrant.planned_cases == CASES
        assert entrant.failed_cases == len(RAISES)
