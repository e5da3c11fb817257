from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.contract import object_keys
from bakeoff.domain.prompt import Message, Prompt, Role
from bakeoff.models.likelihood import Likelihood
from bakeoff.models.model_settings import Api, Bounds, ModelSettings, Patience, Timeouts
from bakeoff.models.pricing import Prices
from bakeoff.models.responses import Asked, ResponseStore, StoredAnswer
from bakeoff.runtime.memory_objects import MemoryObjects

SETTINGS = ModelSettings("http://h/v1", "m", parameters={"temperature": 0, "stop": ["a", "b"]})
PROMPT = Prompt(messages=(Message(Role.SYSTEM, "s"), Message(Role.USER, "q")))


def key(settings: ModelSettings = SETTINGS, prompt: Prompt = PROMPT, seed: int | None = 1, sample: int = 0) -> str:
    return Asked.answer(settings, prompt, seed, sample).key


def with_parameters(**parameters: Any) -> ModelSettings:
    return replace(SETTINGS, parameters={**SETTINGS.parameters, **parameters})


OTHER_KEYS = {
    "endpoint": key(replace(SETTINGS, base_url="http://h/v2")),
    "model": key(replace(SETTINGS, model="n")),
    "interface": key(replace(SETTINGS, api=Api.COMPLETIONS), Prompt(text="q")),
    "parameter": key(with_parameters(temperature=0.1)),
    "order of a list": key(with_parameters(stop=["b", "a"])),
    "another parameter": key(with_parameters(max_tokens=5)),
    "a parameter less": key(replace(SETTINGS, parameters={"temperature": 0})),
    "null is not absent": key(with_parameters(max_tokens=None)),
    "words": key(prompt=Prompt(messages=(Message(Role.SYSTEM, "s"), Message(Role.USER, "r")))),
    "role": key(prompt=Prompt(messages=(Message(Role.USER, "s"), Message(Role.USER, "q")))),
    "order of turns": key(prompt=Prompt(messages=PROMPT.messages[::-1])),
    "border between turns": key(prompt=Prompt(messages=(Message(Role.SYSTEM, "sq"), Message(Role.USER, "")))),
    "seed": key(seed=2),
    "no seed": key(seed=None),
    "seed zero": key(seed=0),
    "sample": key(sample=1),
    "likelihood": Asked.likelihood(SETTINGS, "s", "q").key,
    "likelihood of another continuation": Asked.likelihood(SETTINGS, "s", "r").key,
    "likelihood with another border": Asked.likelihood(SETTINGS, "sq", "").key,
}


def test_whatever_can_change_a_response_changes_its_key() -> None:
    keys = {"as it is": key(), **OTHER_KEYS}

    assert len(set(keys.values())) == len(keys)


SAME = {
    "order of parameters": replace(SETTINGS, parameters={"stop": ["a", "b"], "temperature": 0}),
    "how it is transported": replace(SETTINGS, stream=False),
    "prices": replace(SETTINGS, prices=Prices(1, 2)),
    "timeouts": replace(SETTINGS, timeouts=Timeouts(total_s=1)),
    "patience": replace(SETTINGS, patience=Patience(attempts=1)),
    "bounds": replace(SETTINGS, bounds=Bounds(most_at_once=1)),
}


@pytest.mark.parametrize("settings", SAME.values(), ids=SAME.keys())
def test_what_cannot_change_a_response_does_not_change_its_key(settings: ModelSettings) -> None:
    assert key(settings) == key()


def test_every_setting_is_known_to_change_the_key_or_not() -> None:
    # A new setting must be put into one of the two tables above.
    assert set(ModelSettings.__dataclass_fields__) == {
        *("base_url", "model", "api", "parameters"),
        *("stream", "prices", "timeouts", "patience", "bounds"),
    }


def test_a_plain_prompt_in_a_chat_is_what_the_user_says() -> None:
    assert key(prompt=Prompt(text="q")) == key(prompt=Prompt(messages=(Message(Role.USER, "q"),)))


def an_answer(text: str) -> StoredAnswer:
    return StoredAnswer(Asked.answer(SETTINGS, PROMPT, 1, 0), text, "stop", 7, 3, None, 12.5, None, None)


def test_an_answer_comes_back_as_it_was() -> None:
    store, answer = (
        ResponseStore(MemoryObjects()),
        an_answer("Größe\n\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")),
    )

    async def scenario() -> None:
        assert await store.find(answer.asked, StoredAnswer) is None
        assert await store.keep(answer.asked, answer) == answer
        assert await store.find(answer.asked, StoredAnswer) == answer

    asyncio.run(scenario())


def test_whoever_was_first_is_used_by_all() -> None:
    objects = MemoryObjects()

    async def scenario() -> None:
        assert (await ResponseStore(objects).keep(an_answer("a").asked, an_answer("first"))).text == "first"
        assert (await ResponseStore(objects).keep(an_answer("a").asked, an_answer("second"))).text == "first"

    asyncio.run(scenario())


def test_a_batch_finds_what_is_there_and_what_is_kept_afterwards() -> None:
    store, there, later = ResponseStore(MemoryObjects()), an_answer("there"), an_answer("later")
    later = replace(later, asked=replace(later.asked, sample=1))
    absent = replace(later.asked, sample=2)

    async def scenario() -> None:
        await store.keep(there.asked, there)
        async with store.batch(100):
            assert await store.find(there.asked, StoredAnswer) == there
            assert await store.find(absent, StoredAnswer) is None
            await store.keep(later.asked, later)
            assert await store.find(later.asked, StoredAnswer) == later

    asyncio.run(scenario())


def test_a_response_lies_where_the_map_of_the_bucket_says() -> None:
    objects, asked = MemoryObjects(), Asked.likelihood(SETTINGS, "a", "b")

    asyncio.run(ResponseStore(objects).keep(asked, Likelihood(-1.0, 1, 1, 1)))

    assert [info.key for info in objects.list("")] == [object_keys.response(asked.key)]
