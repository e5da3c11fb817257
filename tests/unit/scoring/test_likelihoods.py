"""Scores out of log-probabilities: choices, pairs, perplexity."""

from __future__ import annotations

import math

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.errors import InvalidInputError
from bakeoff.scoring.likelihoods import corpus_perplexity
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
    failure = {"kind": "model", "reason": "the endpoint gives no prompt log-probabilities"}
    for score in the_scores(method, case, "B", logprobs={"failure": failure, "fallback": "generation"}).scores:
        assert score.failure is not None
        assert (score.failure.kind.value, score.failure.reason) == ("model", failure["reason"])


@pytest.mark.parametrize(("method", "case"), METHODS, ids=[name for name, _ in METHODS])
def test_a_recipe_that_asks_for_no_likelihoods_is_not_measured_by_them(method: str, case: Case) -> None:
    for score in the_scores(method, case, "B").scores:
        assert score.outcome.value == "not_applicable"
        assert "asks for no likelihoods" in score.reason


def test_mutual_information_takes_the_choice_that_the_question_makes_likelier() -> None:
    # −4 against −9 alone: 5 gained; −3 against −3.5 alone: 0.5 gained, though it is the likelier one.
    case = a_choice_case(["rare", "frequent"], 0)
    found = {"choices": [likelihood(-4.0), likelihood(-3.0)], "unconditional": [likelihood(-9.0), likelihood(-3.5)]}
    scores = the_scores("likelihood_choice(mutual_info=true)", case, logprobs=found)
    assert [score.value for score in scores.scores] == [0.0, 0.0, 0.0, 1.0]
    details = scores.details["likelihood_choice"]
    assert isinstance(details, dict)
    assert details["likelihood_choice_acc_mutual_info"] == {"taken": 0, "tie": False}


def test_mutual_information_that_was_not_asked_for_leaves_the_other_figures_standing() -> None:
    found = {"choices": [likelihood(-4.0), likelihood(-3.0)]}
    *others, mutual = the_scores("likelihood_choice(mutual_info=true)", a_choice_case("ab", 1), logprobs=found).scores
    assert [score.value for score in others] == [1.0, 1.0, 1.0]
    assert mutual.outcome.value == "not_applicable"


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ('perplexity(of="text", per="token")', 4.0),  # 6 bits over 3 tokens
        ('perplexity(of="text", per="word")', 8.0),  # over 2 words
        ('perplexity(of="text", per="byte")', 2 ** (6 / 11)),
        ('bits_per_byte(of="text")', 6 / 11),
    ],
)
def test_perplexity_by_token_word_and_byte(method: str, expected: float) -> None:
    case = Case("c1", "hello world")
    found = {"text": likelihood(-6 * math.log(2), "hello world", tokens=3)}
    assert the_value(method, case, logprobs=found) == pytest.approx(expected)


def test_perplexity_of_the_gold_answer() -> None:
    case = Case("c1", "Say it", Expected(("one two three",)))
    found = {"answer": likelihood(-3.0, "one two three", tokens=3)}
    assert the_value('perplexity(of="answer", per="word")', case, logprobs=found) == pytest.approx(math.e)
    assert the_value('perplexity(of="answer")', Case("c1", "Say it"), logprobs=found) == "not_applicable"


def test_the_perplexity_of_a_corpus_is_of_all_its_units_and_no_mean() -> None:
    # 1 word at 8 and 9 words at 2: 2^((3 + 9) / 10), and not 5.
    rows = [(-3 * math.log(2), 1), (-9 * math.log(2), 9)]
    assert corpus_perplexity(rows) == pytest.approx(2**1.2)
    with pytest.raises(InvalidInputError, match="at least one unit"):
        corpus_perplexity([])


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
