"""Names of keys go with the announced cards, so that a wrong one is told before anything is asked; values never."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest

from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.runtime.known_keys import with_known_keys
from bakeoff.runtime.registry import Is, Registry, check_settings
from bakeoff.runtime.settings import Settings


def cards() -> Registry[str]:
    registry: Registry[str] = Registry(ComponentKind.GENERATOR, "tests")

    @registry.register("asks")
    def asks(*, key: Annotated[str, Is("name of a key")] = "") -> str:
        """Ask."""
        return key

    @registry.register("plain")
    def plain() -> str:
        """Ask nobody."""
        return ""

    @registry.register("tells")
    def tells(
        *, prompt: Annotated[str | None, Is("a template", slots=("a", "b", "c"), needed_slots=("a", "b"))] = None
    ) -> str:
        """Fill a template."""
        return prompt or ""

    return registry


def problems(settings: Settings, key: str) -> list[str]:
    (card,) = [each for each in with_known_keys(cards().cards(), settings) if each.name == "asks"]
    return [fault.problem for fault in check_settings(card, ComponentSpec("asks", {"key": key}), "x")]


def test_a_key_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    (tmp_path / "cellar").write_text("secret-2")
    settings = Settings(keys={"house": "secret-1"}, keys_dir=str(tmp_path))
    assert [problems(settings, key) for key in ("", "house", "HOUSE", "cellar")] == [[]] * 4
    (problem,) = problems(settings, "hose")
    assert "no key named 'hose' (known: house, cellar)" in problem
    assert "secret" not in str(with_known_keys(cards().cards(), settings))
    (none,) = problems(Settings(), "house")
    assert "(known: none)" in none


def test_a_folder_that_cannot_be_read_refuses_no_key(tmp_path: Path) -> None:
    assert problems(Settings(keys_dir=str(tmp_path / "nowhere")), "any") == []


def test_only_components_that_take_a_key_are_told() -> None:
    found = {card.name: dict(card.facts) for card in with_known_keys(cards().cards(), Settings(keys={"k": "v"}))}
    assert found == {"asks": {"keys": ["k"]}, "plain": {}, "tells": {}}


@pytest.mark.parametrize(
    ("prompt", "problem"),
    [
        ("{a}{b}", None),
        ("{a}{b}{c} {{d}}", None),
        (None, None),
        ("{a}", "must have the slot {b}"),
        ("{a}{b}{d}", "nothing fills the slot 'd'"),
        ("{a}{b}{", "a lone brace"),
    ],
)
def test_slots_of_a_template_are_checked_by_the_card(prompt: str | None, problem: str | None) -> None:
    found = check_settings(cards().card("tells"), ComponentSpec("tells", {"prompt": prompt}), "x")
    assert [problem in fault.problem if problem else False for fault in found] == ([True] if problem else [])
