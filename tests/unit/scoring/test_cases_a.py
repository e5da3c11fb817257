"""Rows of section A of the replayable cases that are about ties, duplicates, rare measures and official scripts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest

from bakeoff.domain.benchmark import Evidence
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import CaseScores, Outcome
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.multihop_rag_rules import retrieval_scores, shares_a_word
from bakeoff.scoring.registries import evaluators
from tests.builders import a_case, a_passage, an_answer, some_evidence


def judge(judged: Mapping[str, int], found: Mapping[str, float] | Sequence[str], *methods: str) -> CaseScores:
    ranked = (
        found.items() if isinstance(found, Mapping) else [(name, 1 / (rank + 1)) for rank, name in enumerate(found)]
    )
    hits = [a_passage(name, rank=rank, score=score, chunk=rank) for rank, (name, score) in enumerate(ranked, start=1)]
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method) for method in methods])
    (scored,) = score_batch(planned, [a_case(relevant=judged)], [an_answer(found=hits)], ScoringContext())
    return scored


def values(scored: CaseScores) -> list[float | None]:
    return [score.value for score in scored.scores]


def test_a1_a_tie_is_broken_as_in_trec_eval_and_flagged_and_its_average_stands_beside() -> None:
    tied = judge({"d3": 1}, {"d1": 1.0, "d2": 1.0, "d3": 1.0}, "average_precision", "tie_averaged_reciprocal_rank")
    renamed = judge({"d3": 1}, {"d5": 1.0, "d4": 1.0, "d3": 1.0}, "average_precision", "tie_averaged_reciprocal_rank")
    average = (1 + 1 / 2 + 1 / 3) / 3
    assert values(tied) == pytest.approx([1.0, average])
    assert values(renamed) == pytest.approx([1 / 3, average])
    assert tied.details["tied_at_cut"] is True


def test_a1_a_tie_among_documents_of_one_grade_is_not_flagged() -> None:
    scored = judge({"a": 1}, {"a": 2.0, "x": 1.0, "y": 1.0}, "ndcg")
    assert scored.details == {"tied_documents": 2}


def test_a5_a_document_that_is_found_three_times_counts_once() -> None:
    scored = judge({"a": 1, "b": 1}, ["a", "a", "a"], "recall(k=3)", "precision(k=3)", "ndcg(k=3)")
    assert values(scored) == pytest.approx([0.5, 1 / 3, 0.6131471927654584])


def test_a6_the_ideal_holds_what_was_not_retrieved() -> None:
    assert values(judge({"a": 1, "b": 1}, ["a"], "ndcg(k=2)")) == pytest.approx([0.6131471927654584])


def test_a8_a_constant_scorer_gains_nothing_from_the_order_of_its_input() -> None:
    judged = {"p": 1}
    orders = [["p", "a", "z"], ["z", "a", "p"], ["a", "z", "p"]]
    methods = ("reciprocal_rank", "tie_averaged_reciprocal_rank", "expected_reciprocal_rank", "rank_biased_precision")
    found = [values(judge(judged, dict.fromkeys(order, 1.0), *methods)) for order in orders]
    assert found[0] == found[1] == found[2]
    assert found[0][:2] == pytest.approx([1 / 2, (1 + 1 / 2 + 1 / 3) / 3])


def test_a9_scores_that_differ_by_a_ten_thousandth_stay_apart() -> None:
    assert values(judge({"a": 1}, {"a": 0.9001, "z": 0.9}, "reciprocal_rank")) == [1.0]


def test_a10_scores_that_are_equal_as_32_bits_tie_as_in_trec_eval_and_not_as_64() -> None:
    scored = judge(
        {"d0": 1}, {"d9": 0.1234567890123, "d0": 0.1234567890124}, "reciprocal_rank", "tie_averaged_reciprocal_rank"
    )
    assert values(scored) == [0.5, 1.0]
    assert scored.details["tied_at_cut"] is True


def test_a13_an_unjudged_query_is_not_applicable_and_the_same_twice() -> None:
    first = judge({}, ["a"], "ndcg", "bpref", "r_precision", "expected_reciprocal_rank", "judged")
    assert {score.outcome for score in first.scores} == {Outcome.NOT_APPLICABLE}
    assert judge({}, ["a"], "ndcg", "bpref", "r_precision", "expected_reciprocal_rank", "judged") == first


def test_a18_gains_are_linear() -> None:
    # (1 + 2 / log2(3)) / (2 + 1 / log2(3)); with 2^grade - 1 it were 0.7967.
    assert values(judge({"a": 2, "b": 1}, ["b", "a"], "ndcg")) == pytest.approx([0.8597], abs=1e-4)


def test_a19_a_cut_average_precision_is_divided_by_all_relevant_documents() -> None:
    relevant = {f"d{number}": 1 for number in range(20)}
    assert values(judge(relevant, list(relevant)[:10], "average_precision(k=10)")) == pytest.approx([0.5])


def test_a20_all_measures_of_a_report_order_ties_alike() -> None:
    scored = judge(
        {"d1": 1},
        {"d1": 1.0, "d2": 1.0},
        "reciprocal_rank(k=10)", "reciprocal_rank", "ndcg(k=10)", "expected_reciprocal_rank(highest=1)",
        "rank_biased_precision(p=0.5)", "judged(k=1)",
    )  # fmt: skip
    # Relevant at rank 2 for all of them.
    assert values(scored) == pytest.approx([0.5, 0.5, 1 / math.log2(3), 0.5 / 2, 0.5 * 0.5, 0.0])


def test_a21_the_order_of_a_ranking_decides_and_a_repeated_document_keeps_its_first_place() -> None:
    ranked = values(judge({"a": 1}, ["x", "a", "x", "a", "y"], "reciprocal_rank", "ndcg(k=10)"))
    assert ranked == pytest.approx([1 / 2, 1 / math.log2(3)])
    assert values(judge({"a": 1}, ["a", "x", "y"], "reciprocal_rank", "ndcg(k=10)")) == [1.0, 1.0]


def test_a27_multihop_rags_script_adds_only_new_facts() -> None:
    facts = ["fact A", "fact B"]
    a, b, neither = "has fact A", "has fact B", "nothing"
    assert retrieval_scores(facts, [a, b]) == (1.0, 1.0, 1.0, 0.75)
    assert retrieval_scores(facts, [a + b]) == (1.0, 1.0, 1.0, 1.0)
    assert retrieval_scores(facts, [a, a, b])[3] == pytest.approx(0.6667, abs=1e-4)
    assert retrieval_scores(["fact A"], [neither] * 4 + [a]) == pytest.approx((1.0, 0.0, 0.2, 0.2))
    assert retrieval_scores(facts, [neither] * 10 + [a]) == (0.0, 0.0, 0.0, 0.0)


def test_a28_the_official_measure_misses_a_tab_and_another_case_and_the_strict_one_does_not() -> None:
    planned = make_methods(
        evaluators.load(), [ComponentSpec("multihop_rag_retrieval"), ComponentSpec("evidence_hit", {"k": 4})]
    )
    case = a_case(evidence=[Evidence(text="The gauge stands at North Quay")])
    for text, official in (
        ("the gauge stands at north quay", 0.0),
        ("The\tgauge stands at North Quay", 0.0),
        ("The gauge\nstands at North  Quay", 1.0),
    ):
        (scored,) = score_batch(planned, [case], [an_answer(found=[a_passage(text=text)])], ScoringContext())
        found = {score.metric: score.value for score in scored.scores}
        assert (found["multihop_official_hits@4"], found["evidence_hit@4"]) == (official, 1.0)


def test_null_queries_are_not_applicable_to_multihop_rag() -> None:
    planned = make_methods(evaluators.load(), [ComponentSpec("multihop_rag_retrieval")])
    case = a_case(evidence=[some_evidence(text="a fact")], labels={"question_type": "null_query"})
    (scored,) = score_batch(planned, [case], [an_answer()], ScoringContext())
    assert {score.outcome for score in scored.scores} == {Outcome.NOT_APPLICABLE}


def test_multihop_rags_answers_share_a_word() -> None:
    assert shares_a_word('So. The answer to the question is "the BBC".', "bbc")
    assert shares_a_word("The Verge and the BBC", "the Guardian")  # a stop word is a word
    assert not shares_a_word('The answer to the question is "x", not bbc', "bbc")
    # Three wrong answers are an accuracy of 0, and not of a third as in the script's first release.
    assert [shares_a_word(said, gold) for said, gold in zip("xyz", "abc", strict=True)] == [False] * 3
