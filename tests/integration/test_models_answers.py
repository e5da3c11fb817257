"""Answers of a model over a real socket: whole and streamed, and every way in which one can fail to be one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.errors import BakeoffError, InvalidInputError, NotFoundError, UnavailableError
from bakeoff.domain.prompt import Completion, Message, Prompt, Role
from bakeoff.models.answering import answer_all
from bakeoff.models.asking import ModelRequest
from bakeoff.models.model import Model
from bakeoff.models.model_settings import Api, ModelSettings, Patience, Timeouts
from bakeoff.models.pricing import Prices
from bakeoff.models.refusals import RefusedKeyError, UnknownModelError
from bakeoff.models.secret import Secret
from tests.integration.scripted_endpoint import (
    Behaviour,
    ScriptedEndpoint,
    drops,
    pieces,
    refuses,
    replies,
    says,
    streams,
)

PROMPT = Prompt(messages=(Message(Role.SYSTEM, "Be brief."), Message(Role.USER, "Capital of France?")))
QUICK = Patience(attempts=3, requests=4, total_s=20, first_wait_s=0.06, longest_wait_s=0.2)


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(streams(pieces("Par", "is"))) as endpoint:
        yield endpoint


def settings_for(endpoint: ScriptedEndpoint, **changes: Any) -> ModelSettings:
    return ModelSettings(**{"base_url": endpoint.base_url, "model": "m", "patience": QUICK, **changes})


def ask(
    endpoint: ScriptedEndpoint,
    prompt: Prompt = PROMPT,
    *,
    seed: int | None = None,
    key: Secret | None = None,
    **changes: Any,
) -> Completion:
    async def asked() -> Completion:
        async with Model(settings_for(endpoint, **changes), key=key) as model:
            return await model.ask(prompt, seed=seed)

    return asyncio.run(asked())


def error_of(endpoint: ScriptedEndpoint, **changes: Any) -> BakeoffError:
    with pytest.raises(BakeoffError) as caught:
        ask(endpoint, **changes)
    return caught.value


def test_a_dialogue_is_sent_with_its_parameters_seed_and_key(endpoint: ScriptedEndpoint) -> None:
    ask(
        endpoint,
        seed=5,
        key=Secret("k-1", "key file k"),
        parameters={"temperature": 0, "max_tokens": 9, "stop": ["\n"]},
    )

    [seen] = endpoint.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["Authorization"] == "Bearer k-1"
    assert seen.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital of France?"}],
        "temperature": 0,
        "max_tokens": 9,
        "stop": ["\n"],
        "seed": 5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_a_streamed_answer_is_put_together_timed_counted_and_priced(endpoint: ScriptedEndpoint) -> None:
    endpoint.then(streams(pieces("Pa", "r", "is"), apart_s=0.05))

    answer = ask(endpoint, prices=Prices(10.0, 20.0, tokens_cached=1.0))

    assert (answer.text, answer.finish_reason) == ("Paris", "stop")
    usage = answer.usage
    assert (usage.tokens_in, usage.tokens_out, usage.tokens_cached, usage.attempts) == (7, 3, 2, 1)
    # (7 - 2) · 10 + 2 · 1 + 3 · 20 = 112 per million
    assert usage.cost == pytest.approx(112e-6)
    assert usage.first_token_ms is not None
    assert usage.inter_token_ms is not None
    assert usage.latency_ms is not None
    assert 0 < usage.first_token_ms < usage.latency_ms
    assert usage.inter_token_ms >= 40  # two gaps of at least 50 ms, less the grain of the clock
    assert usage.latency_ms >= usage.first_token_ms + 2 * usage.inter_token_ms


def test_an_endpoint_that_does_not_stream_is_understood_though_streaming_was_asked_for(
    endpoint: ScriptedEndpoint,
) -> None:
    answer = ask(endpoint.then(says("Paris")))

    assert answer.text == "Paris"
    assert answer.usage.first_token_ms is None
    assert answer.usage.latency_ms is not None
    assert answer.usage.tokens_out == 3


def test_an_endpoint_that_refuses_streaming_options_and_then_streaming_is_asked_without(
    endpoint: ScriptedEndpoint,
) -> None:
    endpoint.then(
        refuses(400, "unknown field stream_options"), refuses(422, "streaming is not supported"), says("Paris")
    )

    assert ask(endpoint).text == "Paris"
    assert ["stream_options" in seen.body for seen in endpoint.seen] == [True, False, False]
    assert ["stream" in seen.body for seen in endpoint.seen] == [True, True, False]


def test_what_an_endpoint_does_not_tell_is_not_known(endpoint: ScriptedEndpoint) -> None:
    usage = ask(endpoint.then(says("Paris", usage=None)), stream=False, prices=Prices(1, 1)).usage

    assert (usage.tokens_in, usage.tokens_out, usage.tokens_cached, usage.cost) == (None, None, None, None)


def test_the_completions_interface_takes_a_plain_prompt(endpoint: ScriptedEndpoint) -> None:
    answer = ask(
        endpoint.then(says(" Paris")), Prompt(text="The capital of France is"), api=Api.COMPLETIONS, stream=False
    )

    assert answer.text == " Paris"
    assert endpoint.seen[0].path == "/v1/completions"
    assert endpoint.seen[0].body == {"model": "m", "prompt": "The capital of France is"}


def test_the_completions_interface_refuses_a_dialogue_before_any_call(endpoint: ScriptedEndpoint) -> None:
    assert isinstance(error_of(endpoint, api=Api.COMPLETIONS), InvalidInputError)
    assert endpoint.seen == []


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_an_answer_that_was_cut_by_a_limit_is_an_answer_and_says_so(endpoint: ScriptedEndpoint, finish: str) -> None:
    assert ask(endpoint.then(streams(pieces("Pa", finish=finish)))).finish_reason == finish


BROKEN = {
    "dropped before a word": drops,
    "dropped in the middle": streams(pieces("Pa")[:1], then="drop"),
    "dropped after the reason": streams(pieces("Pa", usage=None, done=False), then="drop"),
    "ended without a reason": streams(pieces("Pa", finish=None, done=False)),
    "done without a reason": streams(pieces("Pa", finish=None)),
    "cut within an event": streams([pieces("Pa")[0], b'data: {"choices": [{"del']),
    "not JSON": streams([pieces("Pa")[0], b"data: {oops\n\n", *pieces("ris")]),
    "an error in the middle": streams(
        [pieces("Pa")[0], b'data: {"error": {"message": "overloaded", "code": 503}}\n\n']
    ),
    "an error with status 200": replies({"error": {"message": "overloaded"}}),
    "whole without a reason": says("Pa", finish=None),
    "whole without an answer": replies({"choices": []}),
    "a page of a proxy": replies("<html>busy</html>", content_type="text/html"),
    "half a body": replies('{"choices": [{"message": {"content": "Pa'),
    "a reason that is an error": says("Pa", finish="error"),
    "500": refuses(500),
    "503": refuses(503),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_not_a_whole_answer_is_asked_for_again(endpoint: ScriptedEndpoint, broken: Behaviour) -> None:
    answer = ask(endpoint.then(broken))

    assert answer.text == "Paris"
    assert answer.usage.attempts == 2
    assert endpoint.seen[0].body == endpoint.seen[1].body


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_an_endpoint_that_stays_broken_is_given_up_after_the_attempts(
    endpoint: ScriptedEndpoint, broken: Behaviour
) -> None:
    error = error_of(endpoint.then(*[broken] * 3))

    assert isinstance(error, UnavailableError)
    assert "given up after 3 requests" in str(error)
    assert len(endpoint.seen) == 3


def test_a_stream_that_stalls_is_asked_for_again(endpoint: ScriptedEndpoint) -> None:
    endpoint.then(streams(pieces("Pa")[:1], then="stall"))

    assert ask(endpoint, timeouts=Timeouts(silence_s=0.2)).usage.attempts == 2


def test_refusals_are_waited_out_as_long_as_the_endpoint_asks_in_seconds(endpoint: ScriptedEndpoint) -> None:
    answer = ask(endpoint.then(refuses(429, Retry_After="1")))

    assert answer.usage.attempts == 2
    assert endpoint.seen[1].at_s - endpoint.seen[0].at_s >= 1.0


def test_refusals_are_waited_out_until_the_date_that_the_endpoint_names(endpoint: ScriptedEndpoint) -> None:
    async def until_later(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        # An hour off, as the clock of an endpoint may be: what counts is the time between its two dates.
        now = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
        dates = {"Date": format_datetime(now, usegmt=True)}
        dates["Retry-After"] = format_datetime(now + timedelta(seconds=2), usegmt=True)
        return web.json_response({"error": {"message": "slow down"}}, status=429, headers=dates)

    assert ask(endpoint.then(until_later)).usage.attempts == 2
    assert 2.0 <= endpoint.seen[1].at_s - endpoint.seen[0].at_s < 30.0


def test_a_503_with_retry_after_is_waited_out_too(endpoint: ScriptedEndpoint) -> None:
    ask(endpoint.then(refuses(503, Retry_After="0.5")))

    assert endpoint.seen[1].at_s - endpoint.seen[0].at_s >= 0.5


def test_an_endpoint_that_asks_for_more_rest_than_there_is_patience_is_given_up_at_once(
    endpoint: ScriptedEndpoint,
) -> None:
    began = time.monotonic()

    error = error_of(endpoint.then(refuses(429, Retry_After="3600")))

    assert isinstance(error, UnavailableError)
    assert "3600 s of rest" in str(error)
    assert time.monotonic() - began < 60


def test_refusals_are_no_failed_attempts_but_bounded_too(endpoint: ScriptedEndpoint) -> None:
    assert ask(endpoint.then(*[refuses(429)] * 3)).usage.attempts == 4
    endpoint.seen.clear()

    error_of(endpoint.then(*[refuses(429)] * 4))

    assert len(endpoint.seen) == 4


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_refused_request_fails_at_once_with_the_endpoints_words(endpoint: ScriptedEndpoint, status: int) -> None:
    words = "request (6031 tokens) exceeds the available context size (2048 tokens)"

    error = error_of(endpoint.then(refuses(status, words, code="context_length_exceeded")))

    assert isinstance(error, InvalidInputError)
    assert words in str(error)
    assert len(endpoint.seen) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_told_by_its_place(endpoint: ScriptedEndpoint, status: int) -> None:
    key = Secret("sk-canary-0123456789", "environment variable LAB_KEY")

    error = error_of(endpoint.then(refuses(status, "Incorrect API key: sk-canary-0123456789")), key=key)

    assert isinstance(error, RefusedKeyError)
    assert "environment variable LAB_KEY" in str(error)
    assert "canary" not in str(error)
    assert len(endpoint.seen) == 1


def test_a_missing_key_is_told_as_such(endpoint: ScriptedEndpoint) -> None:
    assert "without a key" in str(error_of(endpoint.then(refuses(401))))


def test_an_empty_account_is_not_waited_for(endpoint: ScriptedEndpoint) -> None:
    error = error_of(endpoint.then(refuses(429, "quota exceeded", code="insufficient_quota")))

    assert isinstance(error, RefusedKeyError)
    assert len(endpoint.seen) == 1


def test_an_unknown_model_is_told_by_its_name(endpoint: ScriptedEndpoint) -> None:
    error = error_of(endpoint.then(refuses(404, "The model `gpt-9` does not exist")), model="gpt-9")

    assert isinstance(error, NotFoundError)
    assert "no model 'gpt-9'" in str(error)


def test_a_redirect_is_not_followed(endpoint: ScriptedEndpoint) -> None:
    error = error_of(endpoint.then(refuses(307, Location="http://127.0.0.1:1/v1/chat/completions")))

    assert isinstance(error, InvalidInputError)
    assert "points elsewhere" in str(error)


def test_nobody_listening_is_unavailable() -> None:
    nobody = ScriptedEndpoint(drops, base_url="http://127.0.0.1:9/v1")

    error = error_of(nobody)

    assert isinstance(error, UnavailableError)
    assert "http://127.0.0.1:9/v1/chat/completions cannot be reached" in str(error)


def check(endpoint: ScriptedEndpoint, model: str) -> None:
    async def checked() -> None:
        async with Model(settings_for(endpoint, model=model)) as asked:
            await asked.check()

    asyncio.run(checked())


def test_a_check_names_the_models_that_there_are(endpoint: ScriptedEndpoint) -> None:
    listed = replies({"data": [{"id": "small-chat"}, {"id": "large-chat"}]})

    check(endpoint.then(listed), "small-chat")
    with pytest.raises(UnknownModelError, match=r"did you mean 'small-chat'\? it has: large-chat, small-chat"):
        check(endpoint.then(listed), "smal-chat")


@pytest.mark.parametrize("listed", [refuses(404), refuses(501), replies({"data": [{"id": "whatever.gguf"}]})])
def test_a_check_passes_where_nothing_can_be_said(endpoint: ScriptedEndpoint, listed: Behaviour) -> None:
    check(endpoint.then(listed), "mine")


def test_one_failed_request_never_fails_the_others(endpoint: ScriptedEndpoint) -> None:
    endpoint.then(*[says("yes")] * 5, refuses(400, "too long"), *[says("yes")] * 14)
    outcomes: dict[int, Completion | Failure] = {}

    requests = [ModelRequest(Prompt(text=f"question {n}")) for n in range(20)]
    answer_all(Model(settings_for(endpoint)), requests, outcomes.__setitem__)

    assert sorted(outcomes) == list(range(20))
    [failure] = [outcome for outcome in outcomes.values() if isinstance(outcome, Failure)]
    assert failure.kind is FailureKind.INPUT
    assert "too long" in failure.reason


def test_a_refused_key_ends_the_calls_but_every_request_has_its_failure(endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = refuses(401, "who are you")
    outcomes: dict[int, Completion | Failure] = {}

    requests = [ModelRequest(Prompt(text=f"question {n}")) for n in range(1000)]
    answer_all(Model(settings_for(endpoint)), requests, outcomes.__setitem__)

    assert len(outcomes) == 1000
    assert all(isinstance(outcome, Failure) for outcome in outcomes.values())
    # Those that were already waiting for their turn when the first was refused, at most.
    assert len(endpoint.seen) <= 300


def test_what_the_listener_raises_ends_the_asking(endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = says("yes")

    def refuse(number: int, outcome: Completion | Failure) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer_all(Model(settings_for(endpoint)), [ModelRequest(PROMPT)] * 1000, refuse)

    assert len(endpoint.seen) < 1000


def test_a_model_may_be_used_again_after_it_was_closed(endpoint: ScriptedEndpoint) -> None:
    model = Model(settings_for(endpoint))
    for _ in range(2):
        outcomes: list[object] = []
        answer_all(model, [ModelRequest(PROMPT)], lambda number, outcome: outcomes.append(outcome))  # noqa: B023
        assert isinstance(outcomes[0], Completion)
