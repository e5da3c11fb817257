"""Whatever dies on the way, the report is the same to the last digit."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bakeoff.client import Client
from tests.e2e.poisoned import (
    CASES,
    KILLS,
    RAISES,
    a_platform,
    a_request,
    failures_by_case,
    patiently,
    supervised,
    undisturbed,
    until_ended,
)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_report_survives_killed_services_servers_and_double_submissions(tmp_path: Path) -> None:
    request = a_request(tmp_path / "benchmark")
    expected = undisturbed(tmp_path / "calm", request)

    rng = random.Random(11)
    killed: list[str] = []
    with a_platform(tmp_path / "storm") as processes, supervised(processes.mend), ThreadPoolExecutor(2) as pool:
        # Everything is submitted twice, at the same time.
        names = set(pool.map(lambda _: patiently(processes.address, request), range(2)))
        assert len(names) == 1
        ended = pool.submit(until_ended, processes.address, names.pop())
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
    with a_platform(tmp_path / "platform") as processes, supervised(processes.mend):
        evaluation_id = patiently(processes.address, request)
        until_ended(processes.address, evaluation_id)
        with Client(processes.address) as client:
            rows = b"".join(client.report_file(evaluation_id, "csv")).decode()
    failed = failures_by_case(rows)
    assert set(failed) == {*RAISES, *KILLS}
    for case in RAISES:
        assert failed[case] == {f"ValueError: told to raise for {case}"}
    for case in KILLS:
        assert all("killed the process" in reason and "SIGKILL" in reason for reason in failed[case])
