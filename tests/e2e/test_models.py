"""Recipes that ask a model, through all services: closed book, with passages, with examples, and nothing twice."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.client import Client
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest, EvaluationState
from bakeoff.domain.recipe import AnswerPart, BuildPart, QueryMode, Recipe
from bakeoff.domain.report import EvaluationReport
from bakeoff.embedded import Embedded
from bakeoff.reporting.load import load_report
from bakeoff.runtime.settings import Settings
from tests.e2e.scripted_model import Endpoint, an_endpoint
from tests.e2e.synthetic import write_benchmark

CANARY = "sk-canary-7f3a9c51"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with an_endpoint() as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedded]:
    settings = Settings(keys={"house": CANARY}, allow_private_addresses=True)
    with Embedded(tmp_path_factory.mktemp("platform"), settings) as platform:
        yield platform


def rows(folder: Path, count: int = 12) -> BenchmarkChoice:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "rows.jsonl").open("w") as file:
        for number in range(count):
            word = "fail" if number == 5 else f"word{number}"
            row = {"id": f"r{number}", "question": f'Say "{word}" please', "target": word}
            file.write(json.dumps(row) + "\n")
    with (folder / "train.jsonl").open("w") as file:
        for number in range(6):
            row = {"id": f"t{number}", "question": f'Say "shown{number}" please', "target": f"shown{number}"}
            file.write(json.dumps(row) + "\n")
    settings = {
        "path": str(folder / "rows.jsonl"),
        "examples": str(folder / "train.jsonl"),
        "eval_type": "key2_qa",
        "keys": {"question": "question", "target": "target"},
    }
    return BenchmarkChoice(ComponentSpec("rows", settings), name="rows", evaluators=(ComponentSpec("exact_match"),))


def a_recipe(name: str, endpoint: Endpoint, **part: object) -> Recipe:
    settings = {"base_url": endpoint.base_url, "model": "scripted", "key": "house", "stream": False}
    settings |= {"price_in": 1.0, "price_out": 2.0}
    return Recipe(name, answer=AnswerPart(ComponentSpec("openai", settings), **part))  # type: ignore[arg-type]


def evaluate(
    platform: Embedded, key: str, benchmark: BenchmarkChoice, *recipes: Recipe, batch: int = 100
) -> EvaluationReport:
    options = EvaluationOptions(batch_cases=batch)
    request = EvaluationRequest("models", (benchmark,), recipes, options, idempotency_key=key)
    with Client(platform.address) as client:
        evaluation_id = client.submit(request)[0].evaluation_id
        *_, last = client.watch(evaluation_id)
        assert last.state is EvaluationState.COMPLETED, last.reason
        return load_report(b"".join(client.report_file(evaluation_id, "json")))


def test_a_model_is_asked_without_a_knowledge_base_and_a_refused_prompt_fails_its_case_alone(
    platform: Embedded, endpoint: Endpoint, tmp_path: Path
) -> None:
    report = evaluate(platform, "closed book", rows(tmp_path), a_recipe("zero shot", endpoint))
    (entrant,) = report.entrants
    assert (entrant.entrant, entrant.planned_cases, entrant.failed_cases) == ("zero shot/direct", 12, 1)
    (metric,) = entrant.metrics
    assert (metric.scored, metric.failed, metric.mean) == (11, 1, pytest.approx(11 / 12))
    assert report.knowledge_bases == ()


def test_what_was_answered_is_not_asked_again(platform: Embedded, endpoint: Endpoint, tmp_path: Path) -> None:
    benchmark = rows(tmp_path)
    first = evaluate(platform, "first", benchmark, a_recipe("zero shot", endpoint))
    before = endpoint.calls.total()
    again = evaluate(platform, "again", benchmark, a_recipe("zero shot", endpoint), batch=5)
    # Only the refused prompt, which has no answer to keep, is asked again.
    assert endpoint.calls.total() == before + 1
    assert first.entrants[0].metrics == again.entrants[0].metrics
    (took,), (took_again,) = first.run.usage.values(), again.run.usage.values()
    assert (took_again["asked"], took_again["stored"], took_again["calls"]) == (11, 11, 0)
    assert (took_again["tokens_in"], took_again["cost"]) == (took["tokens_in"], took["cost"])


def test_examples_come_before_the_question_and_are_the_same_in_any_batch(
    platform: Embedded, endpoint: Endpoint, tmp_path: Path
) -> None:
    shots = ComponentSpec("random", {"k": 2})
    benchmark = rows(tmp_path)
    whole = evaluate(platform, "shots whole", benchmark, a_recipe("two shots", endpoint, examples=shots))
    seen = set(endpoint.calls)
    parts = evaluate(platform, "shots parts", benchmark, a_recipe("two shots", endpoint, examples=shots), batch=3)
    assert set(endpoint.calls) == seen, "not one prompt differs"
    assert whole.digest == parts.digest
    assert sum(told.count("shown") >= 2 for told in seen) >= 12


def test_a_model_answers_from_the_passages_that_were_found(
    platform: Embedded, endpoint: Endpoint, tmp_path: Path
) -> None:
    benchmark = write_benchmark(tmp_path / "synthetic", documents=20, cases=10)
    part = a_recipe("rag", endpoint, passages=2).answer
    recipe = Recipe("rag", BuildPart(), (QueryMode("words", ComponentSpec("full_text_search"), 10),), part)
    report = evaluate(platform, "rag", benchmark, recipe)
    assert report.entrants[0].failed_cases == 0
    told = [prompt for prompt in endpoint.calls if "Passages:" in prompt]
    assert len(told) == 10
    assert all(prompt.count("[d") == 2 or prompt.count("d") > 2 for prompt in told)


def test_the_key_goes_to_the_endpoint_and_stays_nowhere_else(
    platform: Embedded, endpoint: Endpoint, tmp_path: Path
) -> None:
    evaluate(platform, "canary", rows(tmp_path), a_recipe("zero shot", endpoint))
    assert endpoint.keys == {f"Bearer {CANARY}"}
    store = Path(platform.settings.cache_dir).parent
    assert not [path for path in store.rglob("*") if path.is_file() and holds(path, CANARY.encode())]


def holds(path: Path, secret: bytes) -> bool:
    data = path.read_bytes()
    return secret in data or secret in _inflated(data)


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompress(data)
    except zlib.error:
        return b""
