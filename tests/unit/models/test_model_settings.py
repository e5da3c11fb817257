from __future__ import annotations

from typing import Any

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.models.model_settings import Bounds, ModelSettings, Patience, Timeouts

URL = "http://127.0.0.1:8080/v1"


def fields_refused(**changes: Any) -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        ModelSettings(**{"base_url": URL, "model": "m", **changes})
    return [violation.field for violation in caught.value.violations]


def test_a_trailing_slash_makes_no_other_address() -> None:
    assert ModelSettings(URL + "/", "m") == ModelSettings(URL, "m")


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1:8080", "ftp://host/v1", "http://", "http://host:x/v1", "http://[::1"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    assert fields_refused(base_url=address) == ["base_url"]


@pytest.mark.parametrize("address", ["http://me:hush@host/v1", "http://host/v1?key=hush", "http://host/v1#hush"])
def test_an_address_that_may_hold_a_secret_is_refused_without_being_shown(address: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        ModelSettings(address, "m")

    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n"])
def test_what_the_client_fills_in_cannot_be_set(name: str) -> None:
    assert fields_refused(parameters={name: 1}) == [f"parameters.{name}"]


@pytest.mark.parametrize("name", ["api_key", "Authorization", "x-auth-token"])
def test_a_parameter_that_looks_like_a_secret_is_refused(name: str) -> None:
    assert fields_refused(parameters={name: "hush"}) == [f"parameters.{name}"]


def test_a_parameter_about_tokens_is_no_secret() -> None:
    assert ModelSettings(URL, "m", parameters={"max_tokens": 5, "top_logprobs": 2}).parameters["max_tokens"] == 5


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
def test_a_parameter_that_is_no_json_is_refused(value: object) -> None:
    assert fields_refused(parameters={"temperature": value}) == ["parameters.temperature"]


def test_all_faults_are_told_at_once() -> None:
    found = fields_refused(
        base_url="nowhere",
        model="",
        api="telepathy",
        patience=Patience(attempts=0),
        timeouts=Timeouts(total_s=float("nan")),
        bounds=Bounds(most_at_once=0),
    )

    assert found == ["base_url", "timeouts.total_s", "patience.attempts", "bounds.most_at_once", "model", "api"]
