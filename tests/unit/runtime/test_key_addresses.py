"""A key goes only to the endpoints that the operator has named for it, however an address is spelled."""

from __future__ import annotations

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model_settings import ModelSettings
from bakeoff.runtime.key_addresses import read_key_addresses, refusal
from bakeoff.runtime.settings import Settings

ALLOWED = read_key_addresses(
    "house=https://models.example/v1, house=http://10.0.0.7:8080, anywhere=*, *=https://shared.example"
)


@pytest.mark.parametrize(
    "address",
    [
        "https://models.example/v1",
        "https://MODELS.example:443/v1/",
        "https://models.example/v1/deployments/a",
        "http://10.0.0.7:8080/any/path",
        "https://shared.example/v1",
    ],
)
def test_an_address_and_what_lies_below_it_are_allowed(address: str) -> None:
    assert refusal("house", address, ALLOWED) is None
    assert refusal("HOUSE", address, ALLOWED) is None


@pytest.mark.parametrize(
    "address",
    [
        "http://models.example/v1",
        "https://models.example:8443/v1",
        "https://models.example",
        "https://models.example/v10",
        "https://models.example/v1/../steal",
        "https://models.example/v1/%2e%2e/steal",
        "https://models.example/v1/..\\steal",
        "https://models.example.evil.example/v1",
        "https://evil.example/models.example/v1",
        "https://models.example@evil.example/v1",
        "https://evil.example/v1?https://models.example/v1",
        "http://10.0.0.7/",
        "file:///v1",
        "",
    ],
)
def test_no_other_address_is(address: str) -> None:
    refused = refusal("house", address, ALLOWED)
    assert refused
    assert "BAKEOFF_KEYS_SENT_TO" in refused


def test_a_star_means_any_address_and_none_said_means_nowhere() -> None:
    assert refusal("anywhere", "http://evil.example", ALLOWED) is None
    assert "may be sent to nowhere" in str(refusal("house", "https://models.example/v1", {}))
    assert refusal("house", "http://evil.example", None) is None


def test_keys_go_nowhere_unsaid_where_there_are_tokens_and_anywhere_where_there_are_none() -> None:
    assert Settings().key_addresses is None
    assert Settings(tokens_file="t").key_addresses == {}
    assert Settings(keys_sent_to="House=http://a.example").key_addresses == {"house": ("http://a.example",)}


@pytest.mark.parametrize("text", ["house", "house=", "=https://a.example", "house=a.example", "house=ftp://a.example"])
def test_what_is_no_such_list_is_told_at_the_start(text: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        Settings(keys_sent_to=text).check()
    (violation,) = error.value.violations
    assert violation.field == "BAKEOFF_KEYS_SENT_TO"
    assert repr(text) in violation.problem


def test_a_model_at_another_address_is_not_opened_with_the_key() -> None:
    access = ModelAccess(Settings(keys={"house": "a-secret"}, keys_sent_to="house=https://models.example/v1"))
    access.open(ModelChoice(ModelSettings("https://models.example/v1", "m"), key="house"))
    with pytest.raises(InvalidInputError, match=r"the key 'house' may be sent to https://models\.example/v1, not to"):
        access.open(ModelChoice(ModelSettings("https://evil.example/v1", "m"), key="house"))
