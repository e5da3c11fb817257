"""The client against a server that injects faults and judges how they were handled."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from bakeoff.domain.errors import BakeoffError, InvalidInputError, UnavailableError
from bakeoff.domain.prompt import Completion, Prompt
from bakeoff.models.model import Model
from bakeoff.models.model_settings import Bounds, ModelSettings, Patience, Timeouts

llmock_testing = pytest.importorskip("llmock.testing", reason="the fault server llmock is not installed")

from llmock.pytest_plugin import LLMock  # noqa: E402  # after the check that it is there

WORDS = "Paris is the capital of France and lies on the Seine."


@pytest.fixture(scope="module")
def process() -> Iterator[Any]:
    with llmock_testing.LLMockServer() as server:
        yield server


@pytest.fixture
def faults(process: Any) -> LLMock:
    faulty = LLMock(process)
    faulty.reset()
    return faulty.reply(WORDS, times=None)


def ask(faults: LLMock, prompt: str = "Where is Paris?", *, silence_s: float = 5.0) -> Completion:
    settings = ModelSettings(
        faults.base_url(),
        "gpt-4o-mini",
        timeouts=Timeouts(silence_s=silence_s),
        patience=Patience(first_wait_s=0.2, total_s=30),
        bounds=Bounds(start_per_s=200),
    )

    async def asked() -> Completion:
        async with Model(settings) as model:
            return await model.ask(Prompt(text=prompt))

    return asyncio.run(asked())


def verdict(faults: LLMock) -> dict[str, Any]:
    with urllib.request.urlopen(f"{faults.url}/_llmock/verdict") as response:
        found: dict[str, Any] = json.load(response)
    return found


def assert_clean(faults: LLMock, attempts: int) -> None:
    found = verdict(faults)
    # Of a malformed chunk the server judges by when it hears that we have hung up; on a busy machine that is after it
    # has sent the rest. That we did not take the answer but asked again, the attempts tell.
    assert [each for each in found["findings"] if each["code"] != "malformed_chunk_ignored"] == []
    assert found["passed"]
    assert found["attempts"] == attempts


def test_refusals_with_a_time_to_wait_are_handled(faults: LLMock) -> None:
    answer = ask(faults.rate_limit(times=2, retry_after=1))

    assert (answer.text, answer.usage.attempts) == (WORDS, 3)
    assert_clean(faults, 3)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_failures_of_the_server_are_handled(faults: LLMock, status: int) -> None:
    answer = ask(faults.fail(status, times=3))

    assert (answer.text, answer.usage.attempts) == (WORDS, 4)
    assert_clean(faults, 4)


@pytest.mark.parametrize("fault", ["truncate", "disconnect", "corrupt"])
@pytest.mark.parametrize("after", [1, 4])
def test_streams_that_break_are_handled(faults: LLMock, fault: str, after: int) -> None:
    answer = ask(getattr(faults, fault)(after_chunks=after, times=2))

    assert (answer.text, answer.usage.attempts) == (WORDS, 3)
    assert_clean(faults, 3)


def test_a_stream_that_stalls_is_handled(faults: LLMock) -> None:
    answer = ask(faults.stall(after_chunks=2, seconds=20), silence_s=0.5)

    assert (answer.text, answer.usage.attempts) == (WORDS, 2)
    assert_clean(faults, 2)


def test_a_prompt_that_is_too_long_is_told_at_once(faults: LLMock) -> None:
    with pytest.raises(InvalidInputError, match="maximum context length"):
        ask(faults.context_overflow())

    assert_clean(faults, 1)


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_what_can_never_succeed_is_not_tried_again(faults: LLMock, status: int) -> None:
    with pytest.raises(BakeoffError):
        ask(faults.fail(status))

    assert_clean(faults, 1)


def test_an_outage_is_given_up_after_bounded_attempts(faults: LLMock) -> None:
    with pytest.raises(UnavailableError, match="given up after 5 requests"):
        ask(faults.outage())

    assert_clean(faults, 5)


def test_many_requests_through_all_faults_at_once_all_succeed(faults: LLMock) -> None:
    faults.fail(500, times=4).rate_limit(times=4, retry_after=1).truncate(times=4).disconnect(times=4).corrupt(times=4)
    settings = ModelSettings(faults.base_url(), "gpt-4o-mini", patience=Patience(first_wait_s=0.2))

    async def asked() -> list[Completion]:
        async with Model(settings) as model:
            return await asyncio.gather(*(model.ask(Prompt(text=f"Where is Paris {n}?")) for n in range(60)))

    answers = asyncio.run(asked())

    assert {answer.text for answer in answers} == {WORDS}
    assert sum(answer.usage.attempts for answer in answers) == 60 + 20
    assert_clean(faults, 80)


def test_tokens_are_counted_as_the_server_counts_them(faults: LLMock) -> None:
    usage = ask(faults).usage

    assert usage.tokens_in is not None
    assert usage.tokens_out is not None
    assert usage.first_token_ms is not None
    assert usage.tokens_out > 5


def test_texts_become_vectors(faults: LLMock) -> None:
    async def embedded() -> list[Any]:
        async with Model(ModelSettings(faults.base_url(), "text-embedding-3-small")) as model:
            return await model.embed([f"text {n}" for n in range(130)])

    vectors = asyncio.run(embedded())

    assert [len(vector) for vector in vectors] == [1536] * 130
    assert len(set(vectors)) == 130
    assert verdict(faults)["calls"] == 3
