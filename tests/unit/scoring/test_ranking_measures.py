"""Ranking measures against trec_eval's own values and the traps that other tools fell into."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from bakeoff.domain.answer import FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import CaseScores, Outcome, Score
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from tests.builders import a_case, a_passage, an_answer, some_evidence


def scores_of(
    relevant: Mapping[str, int] | Sequence[str],
    found: Sequence[str] | Mapping[str, float],
    *methods: str,
    case_id: str = "c1",
    exclude_self: bool = False,
) -> dict[str, Score]:
    """Score one ranking; `found` is in ranked order, or scores by document."""
    if isinstance(found, Mapping):
        hits = [a_passage(name, rank=rank, score=score) for rank, (name, score) in enumerate(found.items(), start=1)]
    else:
        hits = [a_passage(name, rank=rank) for rank, name in enumerate(found, start=1)]
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method) for method in methods])
    case, answer = a_case(case_id, relevant=relevant), an_answer(case_id, found=hits)
    (scored,) = score_batch(planned, [case], [answer], ScoringContext(exclude_self))
    return {score.metric: score for score in scored.scores}


def value(
    relevant: Mapping[str, int] | Sequence[str], found: Sequence[str] | Mapping[str, float], method: str
) -> float:
    (score,) = scores_of(relevant, found, method).values()
    assert score.value is not None
    return score.value


def test_gains_are_linear() -> None:
    # (1/log2(2) + 2/log2(3)) / (2/log2(2) + 1/log2(3)); exponential gains would give 0.7967
    expected = (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3))
    assert value({"a": 2, "b": 1}, ["b", "a"], "ndcg(k=10)") == pytest.approx(expected, abs=1e-12)
    assert expected == pytest.approx(0.8597186998521972, abs=1e-12)


def test_average_precision_is_divided_by_all_relevant_documents_also_when_cut() -> None:
    relevant = [f"r{number:02d}" for number in range(20)]
    assert value(relevant, relevant[:10], "average_precision(k=10)") == 0.5
    assert value(relevant, relevant[:10], "recall(k=10)") == 0.5
    assert value(relevant, relevant[:10], "precision(k=10)") == 1.0
    assert value(relevant, relevant[:10], "ndcg(k=10)") == 1.0


def test_precision_is_divided_by_k_also_when_fewer_were_found() -> None:
    assert value(["a", "b", "c"], ["a", "b", "c"], "precision(k=10)") == pytest.approx(0.3)
    assert value(["a", "b", "c"], ["a", "b", "c"], "precision(k=3)") == 1.0
    assert value(["a", "b", "c"], ["a", "b", "c", "d"], "precision(k=null)") == 0.75


def test_the_ideal_ranking_holds_all_relevant_documents() -> None:
    # one of two found at rank 1: 1 / (1 + 1/log2(3))
    assert value(["a", "b"], ["a"], "ndcg(k=2)") == pytest.approx(1 / (1 + 1 / math.log2(3)), abs=1e-12)


def test_equal_scores_are_ranked_by_id_descending_for_every_measure() -> None:
    tied = {"d1": 1.0, "d2": 1.0}
    measures = ("reciprocal_rank(k=10)", "reciprocal_rank", "ndcg(k=10)", "hit(k=1)")
    found = scores_of(["d1"], tied, *measures)
    assert found["mrr@10"].value == found["mrr"].value == 0.5
    assert found["ndcg@10"].value == pytest.approx(1 / math.log2(3), abs=1e-12)
    assert found["hit@1"].value == 0.0


def test_renaming_the_relevant_document_changes_a_tie_as_in_trec_eval() -> None:
    assert value(["d3"], {"d1": 1.0, "d2": 1.0, "d3": 1.0}, "average_precision") == 1.0
    assert value(["d3"], {"d5": 1.0, "d4": 1.0, "d3": 1.0}, "average_precision") == pytest.approx(1 / 3)


def test_scores_are_compared_as_32_bit_floats() -> None:
    assert value(["d0"], {"d0": 0.1234567890124, "d9": 0.1234567890123}, "reciprocal_rank") == 0.5


def test_several_passages_of_a_document_count_once_at_the_best() -> None:
    hits = [
        a_passage("a", rank=1, score=3.0),
        a_passage("a", rank=2, score=2.5, chunk=1),
        a_passage("a", rank=3, score=2.0, chunk=2),
    ]
    planned = make_methods(
        evaluators.load(), [ComponentSpec.parse(text) for text in ("recall(k=3)", "precision(k=3)", "ndcg(k=3)")]
    )
    (scored,) = score_batch(planned, [a_case(relevant=["a", "b"])], [an_answer(found=hits)], ScoringContext())
    assert [score.value for score in scored.scores] == pytest.approx([0.5, 1 / 3, 0.6131471927654585])
    assert scored.details["merged_passages"] == 2


def test_a_later_passage_with_a_higher_score_lifts_its_document() -> None:
    hits = [a_passage("b", rank=1, score=1.0), a_passage("a", rank=2, score=0.5), a_passage("a", rank=3, score=2.0)]
    planned = make_methods(evaluators.load(), [ComponentSpec("reciprocal_rank")])
    (scored,) = score_batch(planned, [a_case(relevant=["a"])], [an_answer(found=hits)], ScoringContext())
    assert scored.scores[0].value == 1.0


def test_a_reciprocal_rank_is_cut_behind_its_rank() -> None:
    ranking = [f"d{number:02d}" for number in range(1, 21)]
    for rank in (1, 3, 9, 10):
        assert value([f"d{rank:02d}"], ranking, "reciprocal_rank(k=10)") == pytest.approx(1 / rank)
    assert value(["d11"], ranking, "reciprocal_rank(k=10)") == 0.0
    assert value(["d11"], ranking, "reciprocal_rank(k=null)") == pytest.approx(1 / 11)


def test_a2_a_document_with_the_cases_id_counts_unless_the_benchmark_leaves_it_out() -> None:
    ids = [str(number) for number in range(10)]
    kept = scores_of(ids, ids, "precision(k=10)", "recall(k=10)", case_id="0")
    dropped = scores_of(ids, ids, "precision(k=10)", "recall(k=10)", case_id="0", exclude_self=True)
    assert [score.value for score in kept.values()] == [1.0, 1.0]
    assert [score.value for score in dropped.values()] == [0.9, 0.9]


def test_a_case_without_judgements_is_not_applicable() -> None:
    score = scores_of([], ["a"], "ndcg(k=10)")["ndcg@10"]
    assert (score.outcome, score.value) == (Outcome.NOT_APPLICABLE, None)
    assert "unjudged" in score.reason


def test_a_case_with_only_judgements_of_zero_scores_zero_as_in_trec_eval() -> None:
    assert value({"a": 0}, ["a"], "ndcg(k=10)") == 0.0


def test_an_empty_ranking_scores_zero() -> None:
    found = scores_of(["a"], [], "ndcg(k=10)", "average_precision", "recall(k=null)", "reciprocal_rank", "hit(k=5)")
    assert {score.value for score in found.values()} == {0.0}


def test_a_document_judged_twice_has_the_higher_grade() -> None:
    case = a_case(evidence=[some_evidence("a", relevance=0), some_evidence("a", relevance=2), some_evidence("b")])
    planned = make_methods(evaluators.load(), [ComponentSpec("ndcg")])
    (scored,) = score_batch(planned, [case], [an_answer(found=["b", "a"])], ScoringContext())
    assert scored.scores[0].value == pytest.approx(0.8597186998521972, abs=1e-12)


def test_evaluating_twice_and_at_several_cuts_gives_the_same() -> None:
    methods = [f"ndcg(k={k})" for k in (1, 5, 10, 20, 100)]
    first = scores_of({"a": 2, "b": 1, "z": 1}, ["x", "b", "y", "a"], *methods)
    assert scores_of({"a": 2, "b": 1, "z": 1}, ["x", "b", "y", "a"], *methods) == first
    # gains 1 at rank 2 and 2 at rank 4, over 2 + 1/log2(3) + 1/log2(4)
    expected = (1 / math.log2(3) + 2 / math.log2(5)) / (2 + 1 / math.log2(3) + 1 / 2)
    assert first["ndcg@20"].value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_fails_its_case_and_no_other(broken: float) -> None:
    planned = make_methods(evaluators.load(), [ComponentSpec("ndcg")])
    answers = [an_answer("c1", found=[a_passage("a", score=broken), a_passage("b", rank=2)]), an_answer("c2")]
    bad, good = score_batch(
        planned, [a_case("c1", relevant=["a"]), a_case("c2", relevant=["d1"])], answers, ScoringContext()
    )
    assert bad.scores[0].failure is not None
    assert bad.scores[0].failure.kind is FailureKind.INFRASTRUCTURE
    assert good.scores[0].value == 1.0


@pytest.mark.parametrize("strange", ["a\0x", "a\ud800"])
def test_an_id_that_would_corrupt_trec_eval_fails_its_case_and_no_other(strange: str) -> None:
    planned = make_methods(evaluators.load(), [ComponentSpec("ndcg")])
    answers = [an_answer("c1", found=[replace(a_passage(), document_id=strange)]), an_answer("c2")]
    bad, good = score_batch(planned, [a_case("c1"), a_case("c2")], answers, ScoringContext())
    assert bad.scores[0].failure is not None
    assert bad.scores[0].failure.kind is FailureKind.INPUT
    assert good.scores[0].value == 1.0


def test_threads_do_not_disturb_each_other() -> None:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse("ndcg(k=10)"), ComponentSpec("average_precision")])
    cases = [a_case(f"c{number}", relevant=[f"d{number % 7}"]) for number in range(60)]
    answers = [an_answer(case.case_id, found=[f"d{number}" for number in range(7)]) for case in cases]
    expected = score_batch(planned, cases, answers, ScoringContext())
    found: list[tuple[CaseScores, ...]] = []

    def work() -> None:
        found.extend(score_batch(planned, cases, answers, ScoringContext()) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert all(scores == expected for scores in found)
