"""Scores out of log-probabilities: choices, pairs, perplexity."""

from __future__ import annotations

import math

import pytest

from bakeoff.domain.benchmark import Case, Expected
from tests.builders.scoring import a_choice_case, the_scores, the_value


def likelihood(total: float, text: str = "xxxx", tokens: int = 2) -> dict[str, object]:
    return {"sum": total, "chars": len(text), "bytes": len(text.encode()), "tokens": tokens}


PAIR = Case("c1", "Which?", Expected(metadata={"better": "a long and good text", "rejected": "bad"}))
METHODS = [
    ("likelihood_choice", a_choice_case()),
    ('key3_q_a_rejected(mode="official")', PAIR),
    ('key3_q_a_rejected(mode="strict")', PAIR),
    ('key1_text_score(mode="official")', a_choice_case()),
    ('key1_text_score(mode="strict")', a_choice_case()),
]


@pytest.mark.parametrize(("method", "case"), METHODS, ids=[name for name, _ in METHODS])
def test_an_endpoint_without_log_probabilities_is_a_failure_of_the_model(method: str, case: Case) -> None:
    for score in the_scores(method, case, "B").scores:
        assert score.failure is not None
        assert score.failure.kind.value == "model"
        assert "gives no prompt log-probabilities" in score.failure.reason


def test_row_c11_characters_and_bytes_may_choose_differently() -> None:
    # Two ideographs are 2 characters and 6 bytes; five letters are 5 and 5.
    case = a_choice_case(["北京", "tokyo"], 0)
    found = [likelihood(-4.0, "北京"), likelihood(-5.0, "tokyo")]
    scores = the_scores("likelihood_choice", case, logprobs={"choices": found}).scores
    # sums −4 > −5: 0; per character −2 < −1: 1; per byte −2/3 > −1: 0
    assert [score.value for score in scores] == [1.0, 0.0, 1.0]


def test_of_equal_choices_the_first_counts_and_the_tie_is_told() -> None:
    found = {"choices": [likelihood(-1.0)] * 4}
    assert the_value("likelihood_choice", a_choice_case(value=0), logprobs=found) == 1.0
    assert the_value("likelihood_choice", a_choice_case(value=1), logprobs=found) == 0.0
    details = the_scores("likelihood_choice", a_choice_case(value=0), logprobs=found).details["likelihood_choice"]
    assert isinstance(details, dict)
    assert details["likelihood_choice_acc"] == {"taken": 0, "tie": True}


@pytest.mark.parametrize(
    ("better", "rejected", "official", "strict"),
    [
        (likelihood(-20.0, "a long and good text"), likelihood(-6.0, "bad"), 0.0, 1.0),  # −1 a byte beats −2
        (likelihood(-4.0, "good"), likelihood(-6.0, "evil"), 1.0, 1.0),
        (likelihood(-4.0, "good"), likelihood(-4.0, "evil"), 0.0, 0.5),  # a tie
        (likelihood(-8.0, "good"), likelihood(-4.0, "evil"), 0.0, 0.0),
    ],
)
def test_key3_q_a_rejected_2_7(
    better: dict[str, object], rejected: dict[str, object], official: float, strict: float
) -> None:
    for mode, value in (("official", official), ("strict", strict)):
        found = {"better": better, "rejected": rejected}
        assert the_value(f'key3_q_a_rejected(mode="{mode}")', PAIR, logprobs=found) == value


def test_a_pair_with_a_blank_text_is_not_applicable() -> None:
    blank = Case("c1", "?", Expected(metadata={"better": " ", "rejected": "bad"}))
    score = the_scores("key3_q_a_rejected", blank).scores[0]
    assert score.reason == "the case has no better text"


def test_key1_text_score_2_2() -> None:
    found = {"text": likelihood(-4 * math.log(2), "four", tokens=2)}
    assert the_value('key1_text_score(mode="official")', a_choice_case(), logprobs=found) == pytest.approx(4.0)
    assert the_value('key1_text_score(mode="strict")', a_choice_case(), logprobs=found) == pytest.approx(0.5)
    details = the_scores("key1_text_score", a_choice_case(), logprobs=found).details
    assert details["key1_text_score_byte_probability_strict"] == {
        "perplexity": pytest.approx(4.0), "bits_per_byte": pytest.approx(1.0), "sum": pytest.approx(-4 * math.log(2)),
    }  # fmt: skip


@pytest.mark.parametrize(
    "broken",
    [
        {"sum": "x", "chars": 1, "bytes": 1, "tokens": 1},
        {"sum": float("nan"), "chars": 1, "bytes": 1, "tokens": 1},
        {"sum": -1.0, "chars": -1, "bytes": 1, "tokens": 1},
        {"sum": -1.0},
        "much",
    ],
)
def test_what_is_no_likelihood_is_refused(broken: object) -> None:
    assert the_value("key1_text_score", a_choice_case(), logprobs={"text": broken}) == "failed: input"


def test_likelihoods_of_other_choices_are_refused() -> None:
    found = {"choices": [likelihood(-1.0)] * 3}
    assert the_value("likelihood_choice", a_choice_case(), logprobs=found) == "failed: input"
