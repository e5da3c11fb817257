"""Indexes that query engines ask in the place of another, and those that cannot be had."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.cli.local_components import local_cards
from bakeoff.control.checking import check_request
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.recipe import BuildPart, QueryMode
from bakeoff.runtime.settings import Settings
from tests.builders import a_recipe
from tests.builders import a_request as any_request

SERVED = local_cards(Settings(postgres_url="postgresql://u@h/x"))
UNSERVED = local_cards(Settings())


def faults(engine: str, *indexes: str, served: bool = True) -> list[str]:
    build = BuildPart(embedder=ComponentSpec("hashing"), indexes=tuple(ComponentSpec(name) for name in indexes))
    recipe = replace(a_recipe(), build=build, query=(QueryMode("", ComponentSpec(engine)),))
    found = check_request(replace(any_request(), recipes=(recipe,)), SERVED if served else UNSERVED).violations
    return [str(each) for each in found if each.field.startswith("recipes")]


@pytest.mark.parametrize("index", ["dense", "lance", "pgvector"])
def test_engines_ask_any_index_over_vectors(index: str) -> None:
    assert faults("vector_search", index) == []
    assert faults("hybrid_search", "bm25", index) == []


def test_an_index_over_vectors_does_not_stand_for_one_over_words() -> None:
    [fault] = faults("full_text_search", "lance")
    assert "full_text_search needs the index bm25, but the recipe builds lance" in fault


def test_two_that_are_asked_in_one_place_are_one_too_many() -> None:
    assert faults("vector_search", "lance", "pgvector") == [
        "recipes[0].build.indexes[1]: pgvector is asked as dense, and so is lance: keep one"
    ]


def test_without_a_server_the_request_is_refused_before_anything_is_done() -> None:
    assert faults("vector_search", "pgvector", served=False) == [
        "recipes[0].build.indexes[0]: pgvector is refused: no PostgreSQL server is configured; the operator sets "
        "BAKEOFF_POSTGRES_URL for the knowledge service"
    ]
