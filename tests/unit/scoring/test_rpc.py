"""ScoreAnswers outside of an evaluation."""

from __future__ import annotations

import asyncio

import pytest

from bakeoff.contract import codec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.rpc import ScoringRpc
from bakeoff.v1 import scoring_service_pb2 as pb
from tests.builders import a_case, an_answer

evaluators.load()


def call(*methods: str, count: int = 1) -> pb.ScoreAnswersResponse:
    cases = [
        pb.AnsweredCase(
            case=codec.case_to_wire(a_case(f"c{number}")), answer=codec.case_answer_to_wire(an_answer(f"c{number}"))
        )
        for number in range(count)
    ]
    return asyncio.run(ScoringRpc().ScoreAnswers(pb.ScoreAnswersRequest(evaluators=methods, cases=cases), None))


def test_scores_come_back_in_the_order_of_the_cases() -> None:
    found = call("ndcg(k=10)", "recall(k=5)", count=3)
    assert [case.case_id for case in found.cases] == ["c0", "c1", "c2"]
    assert [(score.metric, score.value) for score in found.cases[0].scores] == [("ndcg@10", 1.0), ("recall@5", 1.0)]


def test_an_unknown_evaluator_is_named_with_the_nearest_one() -> None:
    with pytest.raises(NotFoundError, match="did you mean 'ndcg'"):
        call("ndgc")


def test_nothing_to_score_with_and_too_many_cases_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="at least one evaluator"):
        call()
    with pytest.raises(InvalidInputError, match="at most 1000"):
        call("ndcg", count=1001)
