"""Models asked by several processes: the same prompts and the same report, however many there are and whatever dies."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bakeoff.client import Client
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import BakeoffError
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState
from bakeoff.domain.recipe import AnswerPart, Recipe
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.load import load_report
from deploy.processes import Processes
from tests.e2e.scripted_model import Endpoint, an_endpoint

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CASES, REFUSED, AT_ONCE = 90, 17, 12
UP_S = ENDS_S = 120.0


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with an_endpoint() as endpoint:
        yield endpoint


@contextmanager
def a_platform(folder: Path, workers: int) -> Iterator[Processes]:
    settings = {"BAKEOFF_ALLOW_PRIVATE_ADDRESSES": "true", "BAKEOFF_ACK_WAIT_S": "4", "BAKEOFF_SWEEP_S": "1"}
    with Processes(folder, {"inference": workers}, settings) as processes:
        yield processes


def a_request(folder: Path, endpoint: Endpoint, batch_cases: int) -> EvaluationRequest:
    """Return an evaluation of rows with two examples and two samples a case; one prompt is refused."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "rows.jsonl").open("w") as file:
        for number in range(CASES):
            word = "fail" if number == REFUSED else f"word{number}"
            row = {"id": f"r{number}", "question": f'Say "{word}" please', "target": f"word{number - number % 2}"}
            file.write(json.dumps(row) + "\n")
    with (folder / "train.jsonl").open("w") as file:
        for number in range(20):
            row = {"id": f"t{number}", "question": f'Say "shown{number}" please', "target": f"shown{number}"}
            file.write(json.dumps(row) + "\n")
    rows = {"path": str(folder / "rows.jsonl"), "examples": str(folder / "train.jsonl"), "eval_type": "key2_qa"}
    keys = {"question": "question", "target": "target"}
    benchmark = BenchmarkChoice(
        ComponentSpec("rows", {**rows, "keys": keys}), name="rows", evaluators=(ComponentSpec("exact_match"),)
    )
    model = {"base_url": endpoint.base_url, "model": "scripted", "stream": False, "most_at_once": AT_ONCE}
    part = AnswerPart(ComponentSpec("openai", model), examples=ComponentSpec("random", {"k": 2}))
    options = EvaluationOptions(batch_cases=batch_cases)
    key = f"batches of {batch_cases}"
    return EvaluationRequest("models", (benchmark,), (Recipe("shots", answer=part),), options, idempotency_key=key)


def submit(processes: Processes, request: EvaluationRequest) -> str:
    """Submit as soon as the platform takes it."""
    deadline = time.monotonic() + UP_S
    while True:
        try:
            with Client(processes.address) as client:
                return client.submit(request)[0].evaluation_id
        except BakeoffError:
            assert time.monotonic() < deadline, "the platform does not come up"
            time.sleep(0.3)


def report_of(processes: Processes, evaluation_id: str) -> EvaluationReport:
    deadline = time.monotonic() + ENDS_S
    with Client(processes.address) as client:
        while not (status := client.get(evaluation_id)).state.ended:
            assert time.monotonic() < deadline, "the evaluation does not end"
            processes.mend()
            time.sleep(0.2)
        assert status.state is EvaluationState.COMPLETED, status.reason
        report = load_report(b"".join(client.report_file(evaluation_id, "json")))
    assert report.entrants[0].planned_cases == CASES
    assert report.entrants[0].failed_cases == 1
    return report


def test_one_two_and_four_workers_ask_the_same_prompts_and_end_in_the_same_report_whatever_the_batches(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    prompts: list[frozenset[str]] = []
    digests: set[str] = set()
    for workers, batch_cases in ((1, 100), (2, 7), (4, 3)):
        endpoint.calls.clear()
        with a_platform(tmp_path / f"{workers}", workers) as processes:
            request = a_request(tmp_path / "data", endpoint, batch_cases)
            digests.add(report_of(processes, submit(processes, request)).digest)
            prompts.append(frozenset(endpoint.calls))
            assert set(endpoint.calls.values()) == {1}, "no prompt was asked twice"

            if workers == 4:  # what is stored is found by whichever worker the case comes to now
                again = a_request(tmp_path / "data", endpoint, 8)
                digests.add(report_of(processes, submit(processes, again)).digest)
                assert sum(endpoint.calls.values()) == CASES + 1  # the refused one, which has no answer to keep

    assert len(prompts[0]) == CASES
    assert len(set(prompts)) == 1
    assert len(digests) == 1


def test_a_worker_that_is_killed_among_its_calls_loses_no_answer_and_asks_only_what_was_in_flight_again(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    request = a_request(tmp_path / "data", endpoint, 20)
    with a_platform(tmp_path / "calm", 1) as processes:
        expected = report_of(processes, submit(processes, request))
    undisturbed = set(endpoint.calls)
    endpoint.calls.clear()
    endpoint.delay_s = 0.3

    with a_platform(tmp_path / "storm", 1) as processes:
        evaluation_id = submit(processes, request)
        for asked in (CASES // 4, CASES // 2):
            deadline = time.monotonic() + ENDS_S
            while endpoint.calls.total() < asked:
                assert time.monotonic() < deadline, f"{asked} prompts are not asked"
                time.sleep(0.01)
            (worker,) = (replica for replica in processes.all if replica.service == "inference")
            assert worker.child is not None
            worker.child.kill()
            processes.mend()
        report = report_of(processes, evaluation_id)

    twice = sum(endpoint.calls.values()) - CASES
    assert set(endpoint.calls) == undisturbed
    assert twice <= 2 * AT_ONCE, f"{twice} prompts were asked again after two kills with at most {AT_ONCE} in flight"
    assert report.digest == expected.digest
