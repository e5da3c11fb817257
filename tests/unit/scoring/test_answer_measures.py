"""Answer measures against the values of SQuAD's and TriviaQA's own scripts."""

from __future__ import annotations

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import Outcome, Score
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.evaluators.answer_contains import contains
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from tests.builders import a_case, an_answer


def score(method: str, answer: str | None, *golds: str) -> Score:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method)])
    (scored,) = score_batch(planned, [a_case(answers=golds)], [an_answer(text=answer)], ScoringContext())
    return scored.scores[0]


@pytest.mark.parametrize(
    ("answer", "gold", "exact", "f1"),
    [
        ("The U.S.A.", "USA", 1.0, 1.0),
        ("twenty-one", "twenty one", 0.0, 0.0),
        ("the cat sat", "a cat", 0.0, 2 / 3),
        ("1,000", "1000", 1.0, 1.0),
        ("“yes”", "yes", 0.0, 0.0),
        ("Paris.", "Paris", 1.0, 1.0),
        ("", "", 1.0, 1.0),
        ("A", "A", 1.0, 1.0),
        ("B", "A", 0.0, 0.0),
        ("", "Paris", 0.0, 0.0),
        ("北京市", "北京", 0.0, 0.8),  # characters: precision 2/3, recall 1
        ("北京。", "北京", 1.0, 1.0),
        ("unanswerable", "unanswerable", 1.0, 1.0),
    ],
)
def test_squad_rule(answer: str, gold: str, exact: float, f1: float) -> None:
    assert score("exact_match", answer, gold).value == exact
    assert score("token_f1", answer, gold).value == pytest.approx(f1)


@pytest.mark.parametrize(
    ("answer", "gold", "exact"),
    [
        ("twenty-one", "twenty one", 1.0),
        ("U.S.A.", "USA", 0.0),
        ("O’Neill", "O'Neill", 1.0),
        ("snow_white", "Snow White", 1.0),
    ],
)
def test_triviaqa_rule(answer: str, gold: str, exact: float) -> None:
    assert score('exact_match(normaliser="triviaqa")', answer, gold).value == exact


def test_the_best_gold_answer_counts() -> None:
    assert score("token_f1", "North Quay", "the pier", "North Quay wall").value == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("answer", "gold", "held"),
    [
        ("Nothing of the kind", "no", False),
        ("No, it was not.", "no", True),
        ("It has 12 berths", "2", False),
        ("It has 2.5 metres", "2", False),
        ("It was -2 degrees", "2", False),
        ("There are 2.", "2", True),
        ("It cost £1,000 in all", "1000", True),
        ("from 1990-1995", "1995", True),
        ("It is the North  Quay.", "a north quay", True),
        ("The quay in the north", "north quay", False),
        ("O’Neill said so", "O'Neill", True),
        ("It weighs 12mm", "12 mm", True),
        ("她住在北京市", "北京", True),
        ("The answer is A", "A", True),
        ("The answer is B", "A", False),
        ("", "A", False),
    ],
)
def test_whole_words_and_numbers_are_contained(answer: str, gold: str, held: bool) -> None:
    assert contains(answer, gold) is held


@pytest.mark.parametrize("method", ["exact_match", "token_f1", "answer_contains"])
def test_a_case_without_gold_answers_is_not_applicable(method: str) -> None:
    found = score(method, "North Quay")
    assert (found.outcome, found.reason) == (Outcome.NOT_APPLICABLE, "the case has no gold answer")


@pytest.mark.parametrize("method", ["exact_match", "token_f1", "answer_contains"])
def test_a_recipe_that_makes_no_answers_is_not_applicable(method: str) -> None:
    found = score(method, None, "North Quay")
    assert (found.outcome, found.reason) == (Outcome.NOT_APPLICABLE, "the recipe makes no answers")
