"""HotpotQA's figures of answers, supporting facts and both, against its script's arithmetic."""

from __future__ import annotations

import json

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.scoring.supporting_facts import facts_of, of_facts, of_words
from tests.builders.scoring import the_scores, the_value

GOLD = [["North Quay", 0], ["South Pier", 2]]
CASE = Case("c1", "Which?", Expected(("the North Quay",), metadata={"supporting_facts": GOLD}))


def figures(said: object, mode: str = "official", case: Case = CASE, **metadata: object) -> list[float | None]:
    text = said if isinstance(said, str) else json.dumps(said)
    return [score.value for score in the_scores(f'hotpotqa(mode="{mode}")', case, text, **metadata).scores]


def test_all_right_is_all_one() -> None:
    assert figures({"answer": "North Quay.", "supporting_facts": GOLD[::-1]}) == [1.0] * 6


def test_the_joint_f1_is_that_of_the_products_of_precisions_and_recalls() -> None:
    # Answer: 2 of 3 words, 2 of 2: P 2/3, R 1, F1 0.8. Facts: 1 of 1, 1 of 2: P 1, R 1/2, F1 2/3.
    # Joint: P 2/3, R 1/2, F1 2 * (1/3) / (7/6) = 4/7.
    found = figures({"answer": "North Quay wall", "sp": GOLD[:1]})
    assert found == [0.0, pytest.approx(0.8), 0.0, pytest.approx(2 / 3), 0.0, pytest.approx(4 / 7)]


def test_a_right_answer_for_wrong_reasons_has_no_joint_credit() -> None:
    assert figures({"answer": "North Quay", "supporting_facts": [["East Dock", 1]]}) == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert figures({"answer": "North Quay", "supporting_facts": []}) == [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_yes_beside_another_answer_shares_nothing() -> None:
    assert figures({"answer": "yes North Quay", "supporting_facts": GOLD})[1] == pytest.approx(0.8)
    assert figures({"answer": "yes", "supporting_facts": GOLD})[:2] == [0.0, 0.0]
    assert of_words("yes it is", "yes").f1 == 0.0
    assert of_words("yes", "yes").f1 == 1.0


def test_titles_are_compared_to_the_letter_officially_and_by_their_words_strictly() -> None:
    said = {"answer": "North Quay", "supporting_facts": [["north  quay", 0], ["SOUTH PIER", 2]]}
    assert figures(said)[2] == 0.0
    assert figures(said, "strict")[2] == 1.0


def test_nothing_is_left_of_an_article_officially() -> None:
    case = Case("c1", "Which?", Expected(("A",), metadata={"supporting_facts": GOLD}))
    said = {"answer": "A", "supporting_facts": GOLD}
    assert figures(said, "official", case) == [1.0, 0.0, 1.0, 1.0, 1.0, 0.0]
    assert figures(said, "strict", case) == [1.0] * 6


def test_facts_may_stand_in_a_fence_or_beside_the_answer() -> None:
    fenced = f"```json\n{json.dumps({'answer': 'North Quay', 'supporting_facts': GOLD})}\n```"
    assert figures(fenced) == [1.0] * 6
    assert figures("North Quay", supporting_facts=GOLD) == [1.0] * 6


@pytest.mark.parametrize(
    "said", ["North Quay", '{"answer": "North Quay"}', '{"answer": "x", "sp": ["North Quay"]}', ""]
)
def test_an_answer_that_names_no_facts_failed_to_parse_where_they_are_required(said: str) -> None:
    scores = the_scores("hotpotqa(required=true)", CASE, said).scores
    assert [score.outcome.value for score in scores] == ["scored"] * 2 + ["failed"] * 4
    assert {score.failure.kind.value for score in scores if score.failure} == {"parse"}


def test_plain_words_are_measured_as_an_answer_alone_where_no_facts_are_required() -> None:
    scores = the_scores("hotpotqa", CASE, "North Quay").scores
    assert [score.value for score in scores] == [1.0, 1.0, None, None, None, None]
    assert {score.outcome.value for score in scores[2:]} == {"not_applicable"}
    (failed,) = {score.outcome.value for score in the_scores("hotpotqa", CASE, '{"answer": "North Quay"}').scores[2:]}
    assert failed == "failed", "one that was asked for an object does not escape by leaving its facts out"


def test_without_gold_facts_it_is_not_applicable_and_broken_ones_are_refused() -> None:
    said = json.dumps({"answer": "x", "supporting_facts": GOLD})
    assert the_value("hotpotqa", Case("c1", "?", Expected(("x",))), said) == "not_applicable"
    broken = Case("c1", "?", Expected(("x",), metadata={"supporting_facts": ["North Quay"]}))
    assert the_value("hotpotqa", broken, said) == "failed: input"


def test_two_empty_sets_are_equal_without_precision_and_recall() -> None:
    both = of_facts(frozenset(), frozenset())
    assert (both.exact, both.f1) == (1.0, 0.0)
    assert facts_of([["a", True]]) is None
