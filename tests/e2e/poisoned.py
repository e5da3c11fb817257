"""An evaluation in which some cases raise and one kills its process, and what it takes to see it through."""

from __future__ import annotations

import csv
import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

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
def supervised(mend: Callable[[], object], every_s: float = 0.2) -> Iterator[None]:
    """Start again whatever ends, as an orchestrator does.

    Args:
        mend: Looks for what has ended, and starts it.
        every_s: Seconds between its looks.
    """
    stop = threading.Event()

    def supervise() -> None:
        while not stop.wait(every_s):
            mend()

    thread = threading.Thread(target=supervise)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def patiently(address: str, request: EvaluationRequest, token: str = "") -> str:
    """Submit until the platform has taken it, and return the evaluation's id."""
    deadline = time.monotonic() + 120
    while True:
        try:
            with Client(address, token=token) as client:
                return client.submit(request)[0].evaluation_id
        except BakeoffError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.3)


def until_ended(
    address: str, evaluation_id: str, token: str = "", *, deadline_s: float = DEADLINE_S
) -> EvaluationReport:
    """Ask again and again, whatever does not answer meanwhile, and return the report."""
    deadline = time.monotonic() + deadline_s
    while True:
        assert time.monotonic() < deadline, "the evaluation did not end"
        try:
            with Client(address, token=token) as client:
                status = client.get(evaluation_id)
                if status.state.ended:
                    assert status.state is EvaluationState.COMPLETED, status.reason
                    return load_report(b"".join(client.report_file(evaluation_id, "json")))
        except BakeoffError:
            pass
        time.sleep(0.5)


def a_request(folder: Path, *, delay_s: float = 0.05) -> EvaluationRequest:
    """Write the benchmark into the folder, and ask for two entrants on it, who take so long for each case."""
    benchmark = write_benchmark(folder, documents=60, cases=CASES)
    faults = ComponentSpec("faulty", {"raises": RAISES, "kills": KILLS, "delay_s": delay_s})
    return a_bake_off(benchmark, faults, key="the same for both", batch_cases=10)


def undisturbed(folder: Path, request: EvaluationRequest) -> EvaluationReport:
    """Evaluate in processes where nothing dies but of a poisoned case."""
    with a_platform(folder) as processes, supervised(processes.mend):
        return until_ended(processes.address, patiently(processes.address, request))


def failures_by_case(rows: str) -> dict[str, set[str]]:
    """Return the reasons of each failed case, of a report's CSV."""
    failed: dict[str, set[str]] = {}
    for row in csv.DictReader(io.StringIO(rows)):
        if row["outcome"] == "failed":
            failed.setdefault(row["case"], set()).add(row["reason"])
    return failed
