"""Checking a request against the cards of its components."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.control.checking import check_request
from bakeoff.control.named_components import versions
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentKind, ComponentSpec
from bakeoff.domain.evaluation import EvaluationOptions, EvaluationRequest
from bakeoff.domain.recipe import QueryMode
from tests.builders import a_mode, a_recipe
from tests.builders import a_request as any_request
from tests.builders.component import some_cards

CARDS = some_cards()
SCIFACT = BenchmarkChoice(ComponentSpec("beir", {"path": "scifact"}))


def a_request(**changes: object) -> EvaluationRequest:
    return replace(any_request(benchmarks=[SCIFACT]), **changes)  # type: ignore[arg-type]


def faults(request: EvaluationRequest) -> list[str]:
    return [str(violation) for violation in check_request(request, CARDS).violations]


def test_a_right_request_comes_back_with_every_setting_filled_in() -> None:
    checked = check_request(a_request(recipes=(a_recipe(chunker="sentences", answer="extractive"),)), CARDS)

    assert not checked.violations
    assert not checked.missing
    assert str(checked.request.benchmarks[0].adapter) == 'beir(path="scifact", split="test")'
    recipe = checked.request.recipes[0]
    assert str(recipe.build.chunker) == "sentences(max_tokens=200)"
    assert str(recipe.build.indexes[0]) == "bm25(b=0.4, k1=0.9)"
    assert recipe.answer is not None
    assert str(recipe.answer.generator) == "extractive(sentences=1)"


def test_checking_what_was_checked_changes_nothing() -> None:
    once = check_request(a_request(), CARDS).request
    assert check_request(once, CARDS).request == once


def test_a_mode_without_a_name_and_a_request_without_a_tenant_get_theirs() -> None:
    mode = QueryMode("", ComponentSpec("full_text_search"))
    request = check_request(a_request(recipes=(a_recipe(query=[mode]),), tenant=""), CARDS).request
    assert request.recipes[0].query[0].name == "full_text_search"
    assert request.tenant == "default"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"name": "  "}, "name: must not be empty; it is the title of the report"),
        ({"benchmarks": ()}, "benchmarks: must have at least one benchmark"),
        ({"recipes": ()}, "recipes: must have at least one recipe"),
        ({"recipes": (a_recipe(""),)}, "recipes[0].name: must not be empty; it names the recipe in the report"),
        (
            {"recipes": (a_recipe(query=()),)},
            "recipes[0].query: must have at least one query mode, unless the recipe has an `answer` part",
        ),
        ({"recipes": (a_recipe(indexes=()),)}, "recipes[0].build.indexes: must have at least one index"),
        (
            {"recipes": (a_recipe(query=[a_mode(top_k=0)]),)},
            "recipes[0].query[0].top_k: must be a whole number from 1 to 4294967295, not 0",
        ),
        (
            {"benchmarks": (replace(SCIFACT, limit=0),)},
            "benchmarks[0].limit: must be a whole number from 1 to 4294967295, not 0",
        ),
        (
            {"options": EvaluationOptions(batch_cases=0)},
            "options.batch_cases: must be a whole number from 1 to 4294967295, not 0",
        ),
        (
            {"options": EvaluationOptions(confidence=1.0)},
            "options.confidence: must be between 0 and 1, both excluded, not 1.0",
        ),
        (
            {"recipes": (a_recipe(chunker="tokens(size=10, overlap=10)"),)},
            "recipes[0].build.chunker.overlap: must be smaller than size (10), not 10",
        ),
        (
            {"benchmarks": (BenchmarkChoice(ComponentSpec("bier", {"path": "x"})),)},
            "benchmarks[0].adapter: no adapter is named 'bier'; did you mean 'beir'? known: beir, folder",
        ),
        (
            {"benchmarks": (replace(SCIFACT, evaluators=(ComponentSpec("ndgc"),)),)},
            "benchmarks[0].evaluators[0]: no evaluator is named 'ndgc'; did you mean 'ndcg'? "
            "known: evidence_recall, ndcg",
        ),
        (
            {"recipes": (a_recipe(indexes=["dense"], query=["vector_search"]),)},
            "recipes[0].build.indexes[0]: dense needs vectors: name an embedder beside it (static)",
        ),
        (
            {"recipes": (a_recipe(query=["hybrid_search"]),)},
            "recipes[0].query[0].engine: hybrid_search needs the index dense, but the recipe builds bm25",
        ),
        (
            {"recipes": (a_recipe("a"), a_recipe("a"))},
            "recipes[1].name: two recipes are named 'a'; the other is recipes[0].name",
        ),
        (
            {"recipes": (a_recipe(query=[a_mode(top_k=5), a_mode(top_k=10)]),)},
            "recipes[0].query[1].name: two query modes are named 'full_text_search'; "
            "the other is recipes[0].query[0].name",
        ),
        (
            {"recipes": (a_recipe("a", query=[a_mode(name="b/c")]), a_recipe("a/b", query=[a_mode(name="c")]))},
            "recipes[1].query[0].name: two entrants are named 'a/b/c'; the other is recipes[0].query[0].name",
        ),
        (
            {"benchmarks": (replace(SCIFACT, name="x"), replace(SCIFACT, name="x", limit=5))},
            "benchmarks[1].name: two benchmarks are named 'x'; the other is benchmarks[0].name",
        ),
        (
            {"benchmarks": (SCIFACT, replace(SCIFACT, limit=5))},
            'benchmarks[1]: two benchmarks without a name are named \'beir(path="scifact", split="test")\'; '
            "the other is benchmarks[0]",
        ),
    ],
)
def test_each_fault_is_said_with_its_field_its_value_and_what_is_allowed(
    changes: dict[str, object], expected: str
) -> None:
    assert faults(a_request(**changes)) == [expected]


def test_all_faults_are_said_at_once() -> None:
    request = a_request(
        name="", options=EvaluationOptions(confidence=2.0), recipes=(a_recipe(chunker="tokens(siez=3)"),)
    )
    assert [fault.partition(":")[0] for fault in faults(request)] == [
        "name",
        "recipes[0].build.chunker.siez",
        "options.confidence",
    ]


def test_an_unknown_index_is_not_blamed_a_second_time_on_the_engine() -> None:
    assert len(faults(a_request(recipes=(a_recipe(indexes=["bm52"]),)))) == 1


def test_a_kind_that_nobody_has_announced_is_missing_and_no_fault() -> None:
    cards = [card for card in CARDS if card.kind is not ComponentKind.CHUNKER]
    checked = check_request(a_request(recipes=(a_recipe(chunker="anything"),)), cards)
    assert checked.missing == [ComponentKind.CHUNKER]
    assert not checked.violations


def test_an_embedder_that_no_index_uses_is_allowed() -> None:
    assert not faults(a_request(recipes=(a_recipe(embedder="static"),)))


def test_versions_are_those_of_the_components_that_are_named() -> None:
    request = check_request(a_request(recipes=(a_recipe(chunker="sentences"),)), CARDS).request
    assert versions(request, CARDS) == {
        "adapter:beir": "1",
        "chunker:sentences": "2",
        "index:bm25": "1",
        "parser:auto": "3",
        "query_engine:full_text_search": "1",
    }
