from __future__ import annotations

import copy
import pickle
from pathlib import Path

import msgspec
import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.models.secret import Secret

CANARY = "sk-canary-7f3a"


def test_it_shows_its_place_and_never_itself() -> None:
    secret = Secret(CANARY, "key file lab.key")

    for shown in (repr(secret), str(secret), f"{secret}", f"{secret!r:>60}", repr([secret]), repr({"key": secret})):
        assert "lab.key" in shown
        assert CANARY not in shown


def test_it_cannot_be_stored() -> None:
    secret = Secret(CANARY, "key file lab.key")

    for store in (pickle.dumps, copy.copy, copy.deepcopy, msgspec.json.encode, vars):
        with pytest.raises(TypeError) as caught:
            store(secret)  # type: ignore[operator]  # functions of different shapes
        assert CANARY not in str(caught.value)


def test_it_goes_out_in_a_header_alone() -> None:
    assert Secret(f" {CANARY}\n", "x").header() == {"Authorization": f"Bearer {CANARY}"}


def test_it_is_taken_out_of_what_an_endpoint_repeats() -> None:
    assert Secret(CANARY, "x").scrub(f"bad key {CANARY}!") == "bad key [key]!"


@pytest.mark.parametrize("value", ["", " \n", "two\nlines", "schlüssel", "tab\there"])
def test_what_cannot_be_a_key_is_refused_without_being_shown(value: str) -> None:
    with pytest.raises(InvalidInputError, match="environment variable LAB_KEY") as caught:
        Secret.from_variable("LAB_KEY", {"LAB_KEY": value})

    assert not value.strip() or value not in str(caught.value)


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(InvalidInputError, match="LAB_KEY, which should hold the key, is not set"):
        Secret.from_variable("LAB_KEY", {})


def test_a_file_is_read_and_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = tmp_path / "lab.key"
    file.write_text(CANARY + "\n")

    assert Secret.from_file(file).header() == {"Authorization": f"Bearer {CANARY}"}
    with pytest.raises(InvalidInputError, match=r"none\.key cannot be read: No such file"):
        Secret.from_file(tmp_path / "none.key")
