"""Evaluators that compare entrants: whom they mean, and what their score items wait for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.control.checking import check_request
from bakeoff.control.opponents import opponent_of
from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.work import InferTask, ScoreTask
from bakeoff.scoring.registries import evaluators
from tests.builders import a_benchmark, a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import Evaluated, evaluate

TWO = [a_recipe("a"), a_recipe("b")]
DUEL = {"base_url": "http://127.0.0.1:9/v1", "model": "judge"}


def says(entrant: str, case: Case) -> CaseAnswer:
    return an_answer(case.case_id, text=entrant)


def evaluated(opponent: str) -> Evaluated:
    spec = ComponentSpec("duel", {**DUEL, "opponent": opponent})
    cases = [a_case(f"c{number}") for number in range(5)]
    return evaluate(a_request(recipes=TWO, batch_cases=2), cases, says, methods=[str(spec)])


def test_an_opponent_is_an_entrant_or_a_recipe_with_one_mode_or_the_first() -> None:
    named = [opponent_of(name, TWO) for name in ("", "b", "b/full_text_search")]
    assert named == ["a/full_text_search", "b/full_text_search", "b/full_text_search"]


@pytest.mark.parametrize(
    ("name", "recipes", "message"),
    [
        ("c", TWO, "no entrant is named 'c'; known: a/full_text_search, b/full_text_search"),
        ("", TWO[:1], "needs two entrants"),
        ("a", [a_recipe("a", query=["full_text_search", "vector_search"])], "several entrants are named 'a'"),
    ],
)
def test_who_is_not_there_is_told_with_who_is(name: str, recipes: list, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(InvalidInputError, match=message):
        opponent_of(name, recipes)
    spec = ComponentSpec("duel", {**DUEL, "opponent": name})
    request = a_request(benchmarks=[replace(a_benchmark(), evaluators=(spec,))], recipes=recipes)
    (found,) = [each for each in check_request(request, evaluators.load().cards()).violations if "opp" in each.field]
    assert found.field == "benchmarks[0].evaluators[0].opponent"


def test_a_score_waits_for_the_opponents_answers_to_the_same_cases() -> None:
    plan = evaluated("b").plan
    infer = {item.task.item: item.task.body for item in plan.items if isinstance(item.task.body, InferTask)}
    scores = [item for item in plan.items if isinstance(item.task.body, ScoreTask)]
    assert len(scores) == 6
    for item in scores:
        body = item.task.body
        assert isinstance(body, ScoreTask)
        (spec,) = body.evaluators
        assert spec.settings["opponent"] == "b/full_text_search"
        if str(body.entrant) == "b/full_text_search":
            assert (body.opponents, item.needs) == ({}, (f"infer/{body.infer_item}",))
            continue
        ((entrant, other),) = body.opponents.items()
        assert entrant == str(infer[other].entrant) == "b/full_text_search"
        assert (infer[other].cases_start, infer[other].cases_stop) == (body.cases_start, body.cases_stop)
        assert item.needs == (f"infer/{body.infer_item}", f"infer/{other}")
