"""Responses that are kept, and keys that are not."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bakeoff.domain.answer import Failure
from bakeoff.domain.errors import BakeoffError, InvalidInputError
from bakeoff.domain.prompt import Completion, Prompt
from bakeoff.models.answering import answer_all
from bakeoff.models.asking import ModelRequest
from bakeoff.models.likelihood import Likelihood
from bakeoff.models.model import Model
from bakeoff.models.model_settings import ModelSettings, Patience
from bakeoff.models.pricing import Prices
from bakeoff.models.responses import ResponseStore
from bakeoff.models.secret import Secret
from bakeoff.runtime.directory_objects import DirectoryObjects
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.objects import ObjectStore
from tests.integration.scripted_endpoint import ScriptedEndpoint, drops, pieces, refuses, replies, says, streams

CANARY = "sk-canary-5e1f00d"
REQUESTS = [ModelRequest(Prompt(text=f"question {n}"), seed=n) for n in range(40)]


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(streams(pieces("y", "es"))) as endpoint:
        yield endpoint


def settings_for(endpoint: ScriptedEndpoint, **changes: Any) -> ModelSettings:
    patience = Patience(attempts=2, requests=3, first_wait_s=0.06)
    return ModelSettings(**{"base_url": endpoint.base_url, "model": "m", "patience": patience, **changes})


def answers(settings: ModelSettings, objects: ObjectStore, requests: list[ModelRequest] = REQUESTS) -> dict[int, Any]:
    found: dict[int, Completion | Failure] = {}
    answer_all(Model(settings, responses=ResponseStore(objects)), requests, found.__setitem__)
    return found


def test_a_repeated_run_makes_no_call_and_says_the_same(endpoint: ScriptedEndpoint, tmp_path: Path) -> None:
    settings = settings_for(endpoint, prices=Prices(1, 2))
    first = answers(settings, DirectoryObjects(tmp_path))
    assert len(endpoint.seen) == 40
    endpoint.otherwise = says("something else")

    second = answers(settings, DirectoryObjects(tmp_path))

    assert len(endpoint.seen) == 40
    for number, answer in first.items():
        again = second[number]
        assert (again.text, again.finish_reason) == (answer.text, answer.finish_reason)
        assert (again.usage.attempts, answer.usage.attempts) == (0, 1)
        assert again.usage.cost == answer.usage.cost is not None
        assert again.usage.first_token_ms == answer.usage.first_token_ms


def test_a_run_that_is_continued_asks_only_what_is_missing(endpoint: ScriptedEndpoint) -> None:
    objects = MemoryObjects()
    answers(settings_for(endpoint), objects, REQUESTS[:25])

    assert len(answers(settings_for(endpoint), objects)) == 40
    assert len(endpoint.seen) == 40


def test_another_sample_is_another_answer(endpoint: ScriptedEndpoint) -> None:
    samples = [ModelRequest(Prompt(text="q"), sample=n) for n in range(5)]

    answers(settings_for(endpoint), MemoryObjects(), samples)

    assert len(endpoint.seen) == 5


def test_an_answer_is_stored_before_it_is_told(endpoint: ScriptedEndpoint) -> None:
    objects = MemoryObjects()
    stored: list[int] = []

    answer_all(
        Model(settings_for(endpoint), responses=ResponseStore(objects)),
        REQUESTS,
        lambda number, outcome: stored.append(len(list(objects.list("responses/")))),
    )

    assert all(count >= told for told, count in enumerate(stored, start=1))


def test_what_failed_is_not_stored(endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise, objects = streams(pieces("y", finish=None)), MemoryObjects()

    assert all(isinstance(outcome, Failure) for outcome in answers(settings_for(endpoint), objects).values())
    assert list(objects.list("")) == []


def echoed(logprobs: object) -> Any:
    return replies({"choices": [{"text": "The sun is hot", "finish_reason": "length", "logprobs": logprobs}]})


FULL = {
    "tokens": ["The", " sun", " is", " hot"],
    "token_logprobs": [None, -2.0, -1.0, -0.5],
    "text_offset": [0, 3, 7, 10],
}


def test_a_likelihood_is_asked_for_and_kept(endpoint: ScriptedEndpoint) -> None:
    store = ResponseStore(MemoryObjects())
    endpoint.then(echoed(FULL))

    async def asked() -> Likelihood:
        async with Model(settings_for(endpoint, parameters={"temperature": 1}), responses=store) as model:
            return await model.likelihood("The sun", " is hot")

    first = asyncio.run(asked())
    assert replace(first, latency_ms=None) == Likelihood(-1.5, 2, 7, 7)
    assert asyncio.run(asked()) == first
    [seen] = endpoint.seen
    assert seen.path == "/v1/completions"
    assert seen.body == {
        "model": "m",
        "prompt": "The sun is hot",
        "max_tokens": 0,
        "temperature": 0,
        "echo": True,
        "logprobs": 1,
    }


@pytest.mark.parametrize(
    ("script", "supported"),
    [
        ([echoed(FULL)], True),
        ([refuses(400, "max_tokens must be at least 1"), echoed(FULL)], True),
        ([echoed(None)], False),
        ([echoed({"content": []})], False),
        ([refuses(404)], False),
        ([refuses(400), refuses(400, "echo is not supported")], False),
    ],
)
def test_whether_an_endpoint_can_judge_likelihoods_is_found_out(
    endpoint: ScriptedEndpoint, script: list[Any], supported: bool
) -> None:
    async def asked() -> bool:
        async with Model(settings_for(endpoint.then(*script))) as model:
            found = await model.supports_likelihood()
            assert (await model.ask(Prompt(text="and answers still come"))).text == "yes"
            return found

    assert asyncio.run(asked()) is supported


async def repeats_the_key(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    """Say the key again in an error, as some endpoints do."""
    said = f"Incorrect API key provided: {request.headers['Authorization']}"
    return web.json_response({"error": {"message": said, "code": said}}, status=int(body["seed"]))


async def answers_with_the_key(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
    half = len(CANARY) // 2
    return await streams(pieces("the key is ", CANARY[:half], CANARY[half:]))(request, body)


def test_a_key_is_in_no_log_error_stored_object_or_answer(
    endpoint: ScriptedEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    objects, shown = MemoryObjects(), []
    key = Secret(CANARY, "environment variable LAB_KEY")

    async def asked() -> None:
        async with Model(settings_for(endpoint), key=key, responses=ResponseStore(objects)) as model:
            shown.extend([repr(model), repr(vars(model)), repr(vars(model._transport)), repr(model.settings)])
            for status in (400, 401, 404, 429, 500):
                model._hope.renew()
                endpoint.then(repeats_the_key, repeats_the_key, repeats_the_key)
                with pytest.raises(BakeoffError) as caught:
                    await model.ask(Prompt(text="q"), seed=status)
                endpoint.script.clear()
                shown.append(repr(caught.value))
                shown.append("".join(traceback.format_exception(caught.value)))
            for broken in (drops, says("", finish=None), replies("<html>"), streams(pieces("a")[:1], then="drop")):
                endpoint.then(broken, broken)
                with pytest.raises(BakeoffError) as caught:
                    await model.ask(Prompt(text="q"), seed=1)
                shown.append(repr(caught.value))
                shown.append("".join(traceback.format_exception(caught.value)))
            endpoint.then(answers_with_the_key)
            shown.append(repr(await model.ask(Prompt(text="what is your key?"))))
            model._hope.renew()
            shown.append(repr(await model.ask(Prompt(text="q"))))

    asyncio.run(asked())

    assert all(seen.headers["Authorization"] == f"Bearer {CANARY}" for seen in endpoint.seen)
    stored = [objects.read_key(info.key).decode() for info in objects.list("")]
    assert len(stored) == 2
    assert CANARY not in "\n".join([*shown, *stored, *(record.getMessage() for record in caplog.records)])
    assert "the key is [key]" in "".join(shown)
    assert "environment variable LAB_KEY" in "".join(shown)


def test_a_key_does_not_leave_with_what_is_sent_in_the_body(endpoint: ScriptedEndpoint) -> None:
    with pytest.raises(InvalidInputError):
        settings_for(endpoint, parameters={"api_key": CANARY})
