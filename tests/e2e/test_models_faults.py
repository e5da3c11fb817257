"""An evaluation against a model that fails in every way: each case ends answered, or failed with its reason."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from bakeoff.client import Client
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState
from bakeoff.domain.recipe import AnswerPart, Recipe
from bakeoff.domain.report import EvaluationReport
from bakeoff.embedded import Embedded
from bakeoff.reporting.load import load_report
from bakeoff.runtime.settings import Settings
from tests.integration.scripted_endpoint import ScriptedEndpoint, drops, pieces, refuses, replies, streams

llmock_testing = pytest.importorskip("llmock.testing", reason="the fault server llmock is not installed")

from llmock.pytest_plugin import LLMock  # noqa: E402  # after the check that it is there

pytestmark = pytest.mark.slow

WORDS = "Paris is the capital of France."
CASES = 40


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    with Embedded(tmp_path_factory.mktemp("platform"), Settings(allow_private_addresses=True)) as platform:
        yield platform


@pytest.fixture
def faults() -> Iterator[LLMock]:
    with llmock_testing.LLMockServer() as server:
        yield LLMock(server).reply(WORDS, times=None)


def evaluate(
    platform: Embedded, folder: Path, base_url: str, key: str, cases: int = CASES
) -> tuple[EvaluationReport, list[dict[str, str]]]:
    """Ask the model all cases; return the report and its rows."""
    path = folder / "rows.jsonl"
    rows = [{"id": f"r{n}", "question": f"{key} {n}: which capital?", "target": WORDS} for n in range(cases)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    keys = {"question": "question", "target": "target"}
    adapter = ComponentSpec("rows", {"path": str(path), "eval_type": "key2_qa", "keys": keys})
    model = ComponentSpec("openai", {"base_url": base_url, "model": "gpt-4o-mini"})
    request = EvaluationRequest(
        key,
        (BenchmarkChoice(adapter, name="rows", evaluators=(ComponentSpec("exact_match"),)),),
        (Recipe("model", answer=AnswerPart(model)),),
        EvaluationOptions(batch_cases=15),
        idempotency_key=key,
    )
    with Client(platform.address) as client:
        evaluation_id = client.submit(request)[0].evaluation_id
        *_, last = client.watch(evaluation_id)
        assert last.state is EvaluationState.COMPLETED, last.reason
        report = load_report(b"".join(client.report_file(evaluation_id, "json")))
        text = b"".join(client.report_file(evaluation_id, "csv")).decode()
    return report, list(csv.DictReader(io.StringIO(text)))


def outcomes(report: EvaluationReport) -> tuple[int, int, float]:
    """Return the cases that were planned and that failed, and the mean over all planned."""
    (entrant,) = report.entrants
    (metric,) = entrant.metrics
    assert metric.scored + metric.failed == entrant.planned_cases
    return entrant.planned_cases, entrant.failed_cases, metric.mean or 0.0


def assert_clean(faults: LLMock) -> None:
    # Of a malformed chunk it judges by when it hears that we have hung up, which on a busy machine is too late.
    findings = [each for each in faults.verdict().findings if each.code != "malformed_chunk_ignored"]
    assert findings == []


def test_what_passes_is_asked_again_until_every_case_is_answered(
    platform: Embedded, faults: LLMock, tmp_path: Path
) -> None:
    faults.rate_limit(times=3, retry_after=1).fail(500, times=3).fail(503, times=2, retry_after=1)
    faults.disconnect(times=3).truncate(times=3).truncate(after_chunks=4, times=1).corrupt(times=3)

    report, rows = evaluate(platform, tmp_path, faults.base_url(), "passing faults")

    assert outcomes(report) == (CASES, 0, 1.0)
    assert {row["case"] for row in rows} == {f"r{n}" for n in range(CASES)}
    assert len(faults.requests) == CASES + 18
    assert_clean(faults)


def test_a_prompt_that_is_too_long_fails_its_case_alone_and_says_so(
    platform: Embedded, faults: LLMock, tmp_path: Path
) -> None:
    report, rows = evaluate(platform, tmp_path, faults.context_overflow(times=2).base_url(), "too long")

    planned, failures, mean = outcomes(report)
    assert (planned, failures) == (CASES, 2)
    assert mean == pytest.approx((CASES - 2) / CASES)
    failed = [row for row in rows if row["outcome"] == "failed"]
    assert len({row["case"] for row in failed}) == 2
    assert all("maximum context length" in row["reason"] for row in failed)
    assert len(faults.requests) == CASES
    assert_clean(faults)


def test_a_model_that_does_not_exist_is_asked_little_and_fails_every_case_with_its_reason(
    platform: Embedded, faults: LLMock, tmp_path: Path
) -> None:
    report, rows = evaluate(platform, tmp_path, faults.fail(404, times=None).base_url(), "no such model")

    assert outcomes(report) == (CASES, CASES, 0.0)
    assert {row["outcome"] for row in rows} == {"failed"}
    assert all("gpt-4o-mini" in row["reason"] for row in rows)
    assert len(faults.requests) < CASES
    assert_clean(faults)


def test_both_forms_of_retry_after_are_obeyed(platform: Embedded, tmp_path: Path) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    with ScriptedEndpoint(streams(pieces(WORDS))) as endpoint:
        endpoint.then(refuses(429, Retry_After="2"), refuses(429, Retry_After=at), drops, replies("{no json"))

        report, _ = evaluate(platform, tmp_path, endpoint.base_url, "retry after", cases=4)

        assert outcomes(report) == (4, 0, 1.0)
        assert len(endpoint.seen) == 8
        told = [seen.at_s for seen in endpoint.seen]
        asked = [seen.body["messages"][-1]["content"] for seen in endpoint.seen]
        waits = {_first(asked, told, number) for number in (0, 1)}
        assert min(waits) >= 2.0


def _first(asked: list[Any], told: list[float], number: int) -> float:
    """Return the time between a request and the next one of the same prompt, in seconds."""
    again = next(later for later in range(number + 1, len(asked)) if asked[later] == asked[number])
    return told[again] - told[number]
