"""What looks like a secret among settings is refused, and no message repeats it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import pytest

from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.domain.errors import InvalidInputError, Violation
from bakeoff.models.access import ModelAccess
from bakeoff.models.choice import ModelChoice
from bakeoff.models.model_settings import ModelSettings
from bakeoff.runtime.known_keys import with_known_keys
from bakeoff.runtime.registry import Is, Registry, check_settings
from bakeoff.runtime.settings import Settings

SECRET = "sk-0123456789abcdef0123456789abcdef"


def faults(settings: Mapping[str, object], platform: Settings | None = None) -> list[Violation]:
    registry: Registry[str] = Registry(ComponentKind.GENERATOR, "tests")

    @registry.register("asks")
    def asks(
        *,
        base_url: Annotated[str, Is("address")],
        key: Annotated[str, Is("name of a key")] = "",
        parameters: Annotated[dict[str, object] | None, Is("further parameters")] = None,
        path: Annotated[str, Is("file", path=True)] = "",
    ) -> str:
        """Ask."""
        return base_url + key + path + str(parameters)

    (card,) = with_known_keys(registry.cards(), platform or Settings(keys={"house": "x"}))
    spec = ComponentSpec("asks", {"base_url": "https://a.example/v1", **settings})
    return check_settings(card, spec, "answer.generator")


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"api_key": SECRET}, "api_key"),
        ({"key": SECRET}, "key"),
        ({"key": SECRET + " "}, "key"),
        ({"key": "Bearer " + SECRET * 3}, "key"),
        ({"parameters": {"api_key": SECRET}}, "parameters.api_key"),
        ({"parameters": {"X-Auth-Token": SECRET}}, "parameters.X-Auth-Token"),
        ({"parameters": {"apiKey": SECRET}}, "parameters.apiKey"),
        ({"base_url": f"https://me:{SECRET}@a.example/v1"}, "base_url"),
        ({"base_url": f"https://{SECRET}@a.example/v1"}, "base_url"),
        ({"path": f"https://me:{SECRET}@a.example/data.zip"}, "path"),
    ],
)
def test_a_secret_that_somebody_typed_is_refused_and_not_repeated(settings: Mapping[str, object], field: str) -> None:
    found = faults(settings)
    assert [fault.field for fault in found] == [f"answer.generator.{field}"]
    assert SECRET not in found[0].problem
    assert SECRET.upper() not in found[0].problem


@pytest.mark.parametrize(
    "settings",
    [
        {"key": "house"},
        {"key": "HOUSE"},
        {"parameters": {"max_tokens": 5, "top_k": 3, "monkey": 1}},
        {"base_url": "http://[::1]:8080/v1"},
        {"path": "/data/me:you@here"},
    ],
)
def test_what_is_none_is_not(settings: Mapping[str, object]) -> None:
    assert faults(settings) == []


def test_a_name_that_is_mistyped_is_repeated() -> None:
    (fault,) = faults({"key": "hose"})
    assert "no key named 'hose' (known: house): set BAKEOFF_KEY_HOSE" in fault.problem


def test_a_key_for_another_address_is_told_before_anything_is_asked() -> None:
    platform = Settings(keys={"house": "x", "free": "y"}, keys_sent_to="house=https://b.example,free=*")
    (fault,) = faults({"key": "house"}, platform)
    assert "may be sent to https://b.example, not to 'https://a.example/v1'" in fault.problem
    assert faults({"key": "free"}, platform) == []
    assert faults({"key": "House", "base_url": "https://b.example/v1"}, platform) == []


def test_neither_does_a_worker_repeat_it(tmp_path: Path) -> None:
    for settings in (Settings(), Settings(keys_dir=str(tmp_path))):
        with pytest.raises(InvalidInputError) as error:
            ModelAccess(settings).open(ModelChoice(ModelSettings("https://a.example", "m"), key=SECRET))
        assert SECRET not in str(error.value)
        assert SECRET.upper() not in str(error.value)
