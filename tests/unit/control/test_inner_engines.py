"""Query engines over each other: checked before anything is asked, whoever runs them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.cli.local_components import local_cards
from bakeoff.control.checking import check_request
from bakeoff.control.named_components import versions
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.recipe import QueryMode
from bakeoff.runtime.settings import Settings
from tests.builders import a_recipe
from tests.builders import a_request as any_request

CARDS = local_cards(Settings())
MODEL = 'base_url="http://127.0.0.1:1/v1", model=m'
REWRITE = f"rewrite(first=full_text_search, {MODEL})"


def a_request(engine: str | ComponentSpec) -> EvaluationRequest:
    spec = ComponentSpec.parse(engine) if isinstance(engine, str) else engine
    recipe = replace(a_recipe(), query=(QueryMode("", spec),))
    request = any_request()
    return replace(request, recipes=(recipe,))


def faults(engine: str | ComponentSpec) -> list[str]:
    found = check_request(a_request(engine), CARDS).violations
    return [str(each).removeprefix("recipes[0].query[0].engine") for each in found if "query[0]" in each.field]


def rerank(first: str, reranker: str) -> ComponentSpec:
    return ComponentSpec("rerank", {"first": first, "reranker": reranker})


@pytest.mark.parametrize(
    ("engine", "fault"),
    [
        (
            f"rewrite(first=ful_text_search, {MODEL})",
            ".first: no query engine is named 'ful_text_search'; did you mean",
        ),
        ("rewrite(first=full_text_search, model=m)", ".base_url: rewrite needs the setting 'base_url'"),
        (f"rewrite({MODEL})", ".first: rewrite needs the setting 'first'"),
        (f"rewrite(first=full_text_search, n=0, {MODEL})", ".n: must be at least 1, not 0"),
        (f'rewrite(first=full_text_search, prompt="{{quest}}", {MODEL})', ".prompt: nothing fills the slot 'quest'"),
        (f"multihop(first=full_text_search, hops=0, {MODEL})", ".hops: must be at least 1, not 0"),
        (f"multihop(first=vector_search, {MODEL})", ": vector_search needs the index dense"),
        (f"multihop(first=full_text_search, merge=sum, {MODEL})", ".merge: must be one of"),
        ("multihop_sentences(first=full_text_search, hops=21)", ".hops: must be at most 20, not 21"),
        (rerank("full_text_search", f"llm({MODEL}, window=5, step=5)"), ".reranker.step: must be smaller than window"),
        (
            rerank("full_text_search", f'llm_pointwise({MODEL}, prompt="{{question}}")'),
            ".reranker.prompt: must have the slot {passage}",
        ),
        (rerank("full_text_search", f"lm({MODEL})"), ".reranker: no reranker is named 'lm'; did you mean 'llm'?"),
        (
            rerank(REWRITE, 'cross_encoder(directory="/m")'),
            ".first: rerank runs beside the indexes and cannot ask rewrite, which asks a model; put rerank into",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(engine: str | ComponentSpec, fault: str) -> None:
    assert any(each.startswith(fault) for each in faults(engine)), faults(engine)


def test_a_model_may_order_what_another_one_has_asked_for() -> None:
    assert faults(rerank(REWRITE, f"llm({MODEL})")) == []
    assert faults(REWRITE) == []


def test_defaults_of_inner_engines_are_filled_in_so_that_two_ways_to_say_it_are_one() -> None:
    short = check_request(a_request(rerank(REWRITE, f"llm({MODEL})")), CARDS).request
    (mode,) = short.recipes[0].query
    assert mode.name == "rerank"
    assert "window=" in str(mode.engine.settings["reranker"])
    assert "fallback=" in str(mode.engine.settings["first"])
    assert check_request(short, CARDS).request == short


def test_versions_are_those_of_all_engines_however_deep() -> None:
    deep = ComponentSpec("multihop_sentences", {"first": str(rerank(REWRITE, f"llm({MODEL})"))})
    named = set(versions(a_request(deep), CARDS))
    assert named >= {
        "query_engine:multihop_sentences",
        "query_engine:rerank",
        "query_engine:rewrite",
        "query_engine:full_text_search",
        "reranker:llm",
    }
