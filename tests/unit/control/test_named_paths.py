"""A path is found wherever a request names one: in components, in components within them, in a re-scoring."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.control.named_paths import check_paths
from bakeoff.domain.component import ComponentCard, ComponentKind, ComponentSpec, Setting
from bakeoff.domain.evaluation import EvaluationRequest, Rescoring
from bakeoff.domain.recipe import AnswerPart, QueryMode
from tests.builders import a_recipe, a_request

PATH = Setting("directory", "path", default="")
CARDS = (
    ComponentCard(
        ComponentKind.QUERY_ENGINE,
        "rerank",
        "1",
        (Setting("first", "str", default="words"), Setting("reranker", "str", required=True)),
        facts={"inner": {"first": "query_engine", "reranker": "reranker"}},
    ),
    ComponentCard(ComponentKind.RERANKER, "reads", "1", (PATH,)),
    ComponentCard(ComponentKind.EVALUATOR, "reads", "1", (PATH,)),
    ComponentCard(
        ComponentKind.EVALUATOR, "each", "1", (Setting("method", "str", required=True),), facts={"nested": ["method"]}
    ),
    ComponentCard(ComponentKind.EXAMPLE_RETRIEVER, "reads", "1", (PATH,)),
)
OPENED = (Path("/opened"),)


def fields(request: EvaluationRequest) -> list[str]:
    return [violation.field for violation in check_paths(request, CARDS, OPENED)]


def asked_by(engine: str) -> EvaluationRequest:
    recipe = replace(a_recipe(), query=(QueryMode("m", ComponentSpec.parse(engine), 3),))
    return replace(a_request(), recipes=(recipe,))


@pytest.mark.parametrize(
    ("engine", "field"),
    [
        (r'rerank(reranker="reads(directory=\"/etc\")")', "engine.reranker.directory"),
        (
            r'rerank(reranker="none", first="rerank(reranker=\"reads(directory=\\\"/etc\\\")\")")',
            "engine.first.reranker.directory",
        ),
    ],
)
def test_of_an_engine_within_an_engine(engine: str, field: str) -> None:
    assert fields(asked_by(engine)) == [f"recipes[0].query[0].{field}"]


def test_below_an_opened_folder_it_may_lie() -> None:
    assert fields(asked_by(r'rerank(reranker="reads(directory=\"/opened/model\")")')) == []
    assert check_paths(asked_by(r'rerank(reranker="reads(directory=\"/etc\")")'), CARDS, None) == []


def test_of_the_methods_of_a_rescoring() -> None:
    methods = ("reads(directory=/etc)", r'each(method="reads(directory=\"/etc\")")', "reads(directory=/opened/x)")
    rescoring = Rescoring("ev-1", tuple(map(ComponentSpec.parse, methods)))

    assert fields(EvaluationRequest("", (), (), rescoring=rescoring)) == [
        "rescoring.evaluators[0].directory",
        "rescoring.evaluators[1].method.directory",
    ]


def test_of_an_example_retriever() -> None:
    answer = AnswerPart(ComponentSpec("mock"), examples=ComponentSpec("reads", {"directory": "/etc"}))
    request = replace(a_request(), recipes=(replace(a_recipe(), answer=answer),))

    assert fields(request) == ["recipes[0].answer.examples.directory"]
