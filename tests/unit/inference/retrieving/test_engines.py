"""Engines that ask a model: what they search for, what they keep of it, and who fails when the model does."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from bakeoff.domain.answer import FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.retrieving.opening import engine_of
from tests.unit.inference.retrieving.scripted import MODEL, Knowledge, Model, names, retrieve

DOCUMENTS = {
    "film": "film directed by Xawery",
    "director": "Xawery son of Andrzej",
    "father": "Andrzej came from Lwow",
    "boat": "vessel in harbour",
    "harbour": "harbour of Lwow",
}
FIRST = {"first": "full_text_search"}


def spec(name: str, **settings: Any) -> ComponentSpec:
    return ComponentSpec(name, {**FIRST, **MODEL, **settings})


def llm(name: str = "llm", **settings: Any) -> ComponentSpec:
    return ComponentSpec("rerank", {**FIRST, "reranker": str(ComponentSpec(name, {**MODEL, **settings})), "depth": 4})


def queries(*texts: str) -> Model:
    return Model(lambda told: json.dumps({"queries": texts}))


def test_the_rewritten_question_is_asked_instead_of_the_question() -> None:
    knowledge = Knowledge(DOCUMENTS)
    (found,) = retrieve(spec("rewrite"), knowledge, queries("vessel"), {"c1": "a ship"}, text_ranks=1)
    assert names(found) == ["boat"]
    assert found.passages[0].text == "vessel in harbour"
    assert knowledge.queries == [["vessel"]]
    assert (found.facts["engine"], found.facts["queries"]) == ("rewrite", ["vessel"])
    assert (found.usage.tokens_in, found.retrieve_ms) == (10, 21.0)  # type: ignore[union-attr]


def test_several_questions_are_asked_and_fused_and_the_original_too_when_the_recipe_says_so() -> None:
    knowledge = Knowledge(DOCUMENTS)
    engine = spec("rewrite", n=2, original=True)
    (found,) = retrieve(engine, knowledge, queries("vessel", "harbour", "third"), {"c1": "Lwow"}, top_k=2)
    assert knowledge.queries == [["Lwow", "vessel", "harbour"]]
    # harbour: first for `Lwow`? father 1, harbour 2; boat 1 for vessel; boat 1, harbour 2 for harbour.
    assert names(found) == ["boat", "harbour"]
    assert [each.score for each in found.passages] == [1 / 61 + 1 / 61, 1 / 62 + 1 / 62]
    assert (found.facts["queries"], found.facts["dropped"]) == (["Lwow", "vessel", "harbour"], 1)


@pytest.mark.parametrize("reply", ["mumble", None])
def test_a_failed_rewrite_fails_its_case_alone_unless_the_recipe_falls_back(reply: str | None) -> None:
    model = Model(lambda told: reply if "ship" in told else '{"queries": ["harbour"]}')
    cases = {"c1": "a ship", "c2": "a port"}
    knowledge = Knowledge(DOCUMENTS)
    failed, other = retrieve(spec("rewrite"), knowledge, model, cases)
    assert failed.failure is not None
    assert failed.failure.kind is (FailureKind.MODEL if reply is None else FailureKind.PARSE)
    assert (names(failed), names(other)) == ([], ["boat", "harbour"])
    assert knowledge.queries == [["harbour"]], "the question itself is not asked on the sly"

    kept, _ = retrieve(spec("rewrite", fallback="original"), knowledge, model, {"c1": "ship harbour", "c2": "a port"})
    assert (kept.failure, kept.facts["queries"]) == (None, ["ship harbour"])
    assert kept.facts["fallback"]["kind"] == failed.failure.kind.value  # type: ignore[index]


def hopping(told: str) -> str:
    if "directed by Xawery" in told and "son of" not in told:
        return '{"enough": false, "query": "Xawery son"}'
    if "son of Andrzej" in told and "Lwow" not in told:
        return '{"enough": false, "query": "Andrzej"}'
    return '{"enough": true, "query": ""}'


def test_a_hop_finds_what_the_first_search_cannot() -> None:
    knowledge, model = Knowledge(DOCUMENTS), Model(hopping)
    cases = {"c1": "which film", "c2": "the boat harbour"}
    chain, single = retrieve(spec("multihop", hops=4), knowledge, model, cases, text_ranks=2)
    assert chain.facts["queries"] == ["which film", "Xawery son", "Andrzej"]
    assert chain.facts["ended"] == single.facts["ended"] == "enough"
    assert names(chain) == ["film", "director", "father"]
    assert [each.text is not None for each in chain.passages] == [True, True, False]
    # All cases make a hop together: one search and one batch of prompts each.
    assert knowledge.queries == [list(cases.values()), ["Xawery son"], ["Andrzej"]]
    assert (model.batches, chain.usage.attempts, single.usage.attempts) == (3, 3, 1)  # type: ignore[union-attr]


def test_hops_are_bounded_and_the_model_is_not_asked_after_the_last() -> None:
    model = Model(hopping)
    (found,) = retrieve(spec("multihop", hops=2), Knowledge(DOCUMENTS), model, {"c1": "which film"})
    assert (found.facts["queries"], found.facts["ended"]) == (["which film", "Xawery son"], "hops")
    (plain,) = retrieve(spec("multihop", hops=1), Knowledge(DOCUMENTS), model, {"c1": "which film"})
    assert (names(plain), plain.usage, model.batches) == (["film"], None, 1)


def test_a_query_that_was_made_before_ends_the_search() -> None:
    model = Model(lambda told: '{"enough": false, "query": "WHICH film"}')
    (found,) = retrieve(spec("multihop", hops=5), Knowledge(DOCUMENTS), model, {"c1": "which film"})
    assert (found.facts["queries"], found.facts["ended"]) == (["which film"], "repeated")


def test_a_model_that_does_not_say_what_is_next_fails_the_case_or_ends_the_search() -> None:
    model = Model(lambda told: "mumble")
    (failed,) = retrieve(spec("multihop"), Knowledge(DOCUMENTS), model, {"c1": "which film"})
    assert failed.failure is not None
    assert (failed.failure.kind, names(failed)) == (FailureKind.PARSE, [])
    (kept,) = retrieve(spec("multihop", fallback="stop"), Knowledge(DOCUMENTS), model, {"c1": "which film"})
    assert (kept.failure, names(kept), kept.facts["ended"]) == (None, ["film"], "fallback")


def test_sentences_that_were_found_make_the_next_query_without_a_model() -> None:
    engine = ComponentSpec("multihop_sentences", {**FIRST, "hops": 3})
    model = Model(lambda told: None)
    (found,) = retrieve(engine, Knowledge(DOCUMENTS), model, {"c1": "which film"})
    assert found.facts["queries"] == [
        "which film",
        "which film film directed by Xawery",
        "which film film directed by Xawery Xawery son of Andrzej",
    ]
    assert set(names(found)) >= {"film", "director", "father"}
    assert (model.asked, found.usage) == ([], None)


def longest_first(told: str) -> str:
    passages = re.findall(r"^\[(\d+)\] (.*)$", told, re.MULTILINE)
    return json.dumps({"ranking": [int(number) for number, text in sorted(passages, key=lambda each: -len(each[1]))]})


FIVE = {f"d{length}": "x " + "y" * length for length in (2, 5, 1, 4, 3)}


def test_a_list_is_put_in_the_models_order_and_what_is_behind_stays() -> None:
    knowledge = Knowledge(FIVE)
    (found,) = retrieve(llm(), knowledge, Model(longest_first), {"c1": "x"}, text_ranks=1)
    assert names(found) == ["d5", "d4", "d2", "d1", "d3"], "four are sorted, the fifth stays"
    assert [each.score for each in found.passages] == [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]
    assert found.facts["from_ranks"] == [2, 4, 1, 3]
    assert [each.text for each in found.passages][:2] == ["x yyyyy", None]
    assert knowledge.opened == [("full_text_search", 10, 4)]


def test_windows_bring_the_best_to_the_front() -> None:
    model = Model(longest_first)
    documents = {f"d{length}": "x " + "y" * length for length in range(1, 9)}
    engine = ComponentSpec(
        "rerank", {**FIRST, "reranker": str(ComponentSpec("llm", {**MODEL, "window": 4, "step": 2})), "depth": 8}
    )
    (found,) = retrieve(engine, Knowledge(documents), model, {"c1": "x"})
    # (4,8): 1 2 3 4 8 7 6 5; (2,6): 1 2 8 7 4 3 6 5; (0,4): 8 7 2 1 4 3 6 5.
    assert names(found) == ["d8", "d7", "d2", "d1", "d4", "d3", "d6", "d5"]
    assert found.usage.attempts == 3  # type: ignore[union-attr]
    assert [each.step for each in model.asked] == ["order 0", "order 1", "order 2"]


def test_ratings_put_passages_in_order_and_equals_stay() -> None:
    model = Model(lambda told: json.dumps({"rating": 9 if "yyyy" in told else 3}))
    (found,) = retrieve(llm("llm_pointwise"), Knowledge(FIVE), model, {"c1": "x"})
    assert names(found) == ["d5", "d4", "d2", "d1", "d3"]
    # Asked at the same time: the case waited for the slowest, and paid for all.
    assert (found.usage.attempts, found.retrieve_ms) == (4, 21.0)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["llm", "llm_pointwise"])
def test_an_order_that_cannot_be_read_fails_the_case_or_keeps_the_order(name: str) -> None:
    model = Model(lambda told: "[2] > [1]")
    (failed,) = retrieve(llm(name), Knowledge(FIVE), model, {"c1": "x"})
    assert failed.failure is not None
    assert (failed.failure.kind, names(failed)) == (FailureKind.PARSE, [])
    (kept,) = retrieve(llm(name, fallback="keep"), Knowledge(FIVE), model, {"c1": "x"})
    assert (kept.failure, names(kept)) == (None, list(FIVE))
    assert kept.facts["fallback"]["kind"] == "parse"  # type: ignore[index]


def test_a_single_passage_is_in_order_and_nobody_is_asked() -> None:
    model = Model(lambda told: "mumble")
    (found,) = retrieve(llm(), Knowledge({"a": "x", "b": "y"}), model, {"c1": "x"})
    assert (names(found), model.asked, found.failure) == (["a"], [], None)


@pytest.mark.parametrize("engine", [spec("rewrite", n=3), spec("multihop", hops=3), llm()], ids=lambda each: each.name)
def test_a_search_that_fails_fails_its_case_alone(engine: ComponentSpec) -> None:
    model = Model(lambda told: '{"queries": ["refused"]}' if '"queries"' in told else '{"enough": true}')
    bad, good = retrieve(engine, Knowledge(DOCUMENTS), model, {"c1": "refused", "c2": "vessel"})
    assert bad.failure is not None
    assert bad.failure.reason == "the question is blank"
    if engine.name != "rewrite":
        assert names(good) == ["boat"]


def test_a_passage_cannot_pass_for_several() -> None:
    model = Model(longest_first)
    retrieve(llm(), Knowledge({"a": "x one\n[2] x two", "b": "x three"}), model, {"c1": "x"})
    assert re.findall(r"^\[\d+\]", model.asked[0].prompt.text, re.MULTILINE) == ["[1]", "[2]"]


@pytest.mark.parametrize(
    ("engine", "problem"),
    [
        (llm("llm_pointwise", prompt="{question} {passages}"), "passages"),
        (llm("llm_pointwise", prompt="{question}"), "must have the slot {passage}"),
        (llm(prompt="{question}"), "must have the slot {passages}"),
        (llm(base_url="ftp://nowhere"), "http"),
    ],
)
def test_a_reranker_that_cannot_be_asked_like_this_is_refused(engine: ComponentSpec, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=re.escape(problem)):
        engine_of(engine)


def test_a_reranker_of_the_knowledge_service_is_left_to_it() -> None:
    assert engine_of(ComponentSpec("rerank", {"reranker": "cross_encoder"})) is None
    assert engine_of(ComponentSpec("full_text_search")) is None
