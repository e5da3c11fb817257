"""Checking components that run models from files, and components within the settings of others."""

from __future__ import annotations

import pytest

from bakeoff.control.checking import check_request
from bakeoff.control.named_components import versions
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec, Setting
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.recipe import BuildPart, QueryMode, Recipe
from bakeoff.runtime.model_pins import MODEL_FILES, ONE_MODEL
from bakeoff.runtime.nested import INNER
from tests.builders.component import some_cards

MODEL = (Setting("directory", "path", ""), Setting("package", "str", ""), Setting("sha256", "str", ""))
CARDS = [
    *some_cards(),
    ComponentCard(ComponentKind.EMBEDDER, "model", "5", MODEL, facts={MODEL_FILES: ONE_MODEL}),
    ComponentCard(ComponentKind.RERANKER, "reader", "7", MODEL, facts={MODEL_FILES: ONE_MODEL}),
    ComponentCard(
        ComponentKind.QUERY_ENGINE,
        "rerank",
        "2",
        (Setting("reranker", "str", required=True), Setting("first", "str", "full_text_search")),
        facts={INNER: {"first": "query_engine", "reranker": "reranker"}},
    ),
]
GOOD = 'rerank(reranker="reader(package=\\"p/q\\", sha256=\\"12\\")")'


def a_request(engine: str, embedder: str | None = None) -> EvaluationRequest:
    indexes = tuple(map(ComponentSpec, ["bm25", "dense"] if embedder else ["bm25"]))
    build = BuildPart(embedder=ComponentSpec.parse(embedder) if embedder else None, indexes=indexes)
    recipe = Recipe("r", build, (QueryMode("m", ComponentSpec.parse(engine)),))
    return EvaluationRequest("e", (BenchmarkChoice(ComponentSpec("beir", {"path": "scifact"})),), (recipe,))


def faults(engine: str, embedder: str | None = None) -> list[str]:
    return [str(violation) for violation in check_request(a_request(engine, embedder), CARDS).violations]


def test_a_component_within_settings_has_its_own_settings_filled_in() -> None:
    checked = check_request(a_request(GOOD), CARDS)

    assert not checked.violations
    engine = checked.request.recipes[0].query[0].engine
    assert engine.settings == {
        "first": "full_text_search",
        "reranker": 'reader(directory="", package="p/q", sha256="12")',
    }
    assert check_request(checked.request, CARDS).request == checked.request


def test_versions_of_components_within_settings_count() -> None:
    named = versions(check_request(a_request(GOOD), CARDS).request, CARDS)

    assert named["reranker:reader"] == "7"
    assert named["query_engine:rerank"] == "2"
    assert named["query_engine:full_text_search"] == "1"


@pytest.mark.parametrize(
    ("engine", "embedder", "expected"),
    [
        ("rerank", None, "recipes[0].query[0].engine.reranker: rerank needs the setting 'reranker'"),
        ("rerank(reranker=raeder)", None, "no reranker is named 'raeder'; did you mean 'reader'?"),
        ("rerank(reranker=reader)", None, "reader needs a model: give either directory or package, not neither"),
        (
            'rerank(reranker="reader(directory=\\"/a\\", package=\\"b\\", sha256=\\"12\\")")',
            None,
            "give either directory or package, not directory and package",
        ),
        ('rerank(reranker="reader(package=b)")', None, "reader does not say which model is in 'b': give its sha256"),
        ('rerank(reranker="reader(")', None, "is no component"),
        (GOOD[:-1] + ", first=vector_search)", None, "vector_search needs the index dense, but the recipe builds bm25"),
        (GOOD[:-1] + ", first=vector_serch)", None, "no query engine is named 'vector_serch'"),
        ("full_text_search", "model", "recipes[0].build.embedder: model needs a model"),
        ("full_text_search", "model(package=b)", "recipes[0].build.embedder: model does not say which model is in 'b'"),
    ],
)
def test_what_is_wrong_with_a_model_is_told_before_anything_is_built(
    engine: str, embedder: str | None, expected: str
) -> None:
    [fault] = faults(engine, embedder)

    assert expected in fault


def test_a_model_that_is_known_by_its_digest_is_right() -> None:
    assert faults("vector_search", 'model(package=b, sha256="12ab")') == []
