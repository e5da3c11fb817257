"""UDA's scripts, row by row, with what they get wrong."""

from __future__ import annotations

import pytest

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import Outcome
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from tests.builders import an_answer
from tests.builders.scoring import the_scores, the_value


def case(*golds: str, value: object = None, scale: str | None = None) -> Case:
    return Case("c1", "?", Expected(golds, value=value, metadata={} if scale is None else {"scale": scale}))


@pytest.mark.parametrize(
    ("row", "answer", "golds", "computed", "value"),
    [
        ("B24", "-27.0%", ["-27.0%"], -0.26689, 1.0),
        ("B24", "-27", ["-27.0%"], -0.26689, 0.0),
        ("B24", "(27.0)%", ["-27.0%"], -0.26689, 0.0),
        ("B25", "100.9", ["100"], 100, 1.0),
        ("B25", "101.1", ["100"], 100, 0.0),
        ("B25", "5 million", ["5"], 5, 1.0),
        ("B25", "-5", ["5"], 5, 0.0),
        ("4", "It is so. The answer is: $1,000.", ["1000"], None, 1.0),
        ("4", "The answer is: 'yes'.", ["yes"], None, 1.0),
        ("4", "The answer is: yes, it is", ["yes"], None, 0.0),
        ("4", "0", ["0"], 0, 1.0),
    ],
)
def test_fin(row: str, answer: str, golds: list[str], computed: object, value: float) -> None:
    assert the_value('uda(subset="fin")', case(*golds, value=computed), answer) == value


@pytest.mark.parametrize(
    ("row", "answer", "golds", "scale", "exact", "f1"),
    [
        ("B27", "23.42", ["23.42"], "percent", 0.0, 0.0),
        ("B27", "23.42%", ["23.42"], "percent", 1.0, 1.0),
        ("B27", "0.2342", ["23.42"], "percent", 1.0, 1.0),
        ("B27", "5", ["5"], "thousand", 0.0, 0.0),
        ("B27", "5 thousand", ["5"], "thousand", 1.0, 1.0),
        ("B27", "5000", ["5"], "thousand", 1.0, 1.0),
        ("4", "three", ["3"], "", 0.0, 0.0),
        ("4", "cash equities", ["equities", "cash"], "", 1.0, 1.0),
        ("4", "equities cash", ["equities", "cash"], "", 0.0, 1.0),
    ],
)
def test_tat(row: str, answer: str, golds: list[str], scale: str, exact: float, f1: float) -> None:
    scores = the_scores('uda(subset="tat")', case(*golds, scale=scale), answer).scores
    assert [score.value for score in scores] == [exact, f1]


def test_row_b28_an_unknown_scale_makes_the_sample_invalid_and_stops_nothing() -> None:
    failure = the_scores('uda(subset="tat")', case("5", scale="bn"), "5").scores[0].failure
    assert failure is not None
    assert failure.kind.value == "input"
    assert failure.reason.startswith("the scale 'bn' is none of")


def test_row_b29_papers_have_three_references() -> None:
    asked = case("a1", "b1", "c1", "right answer")
    assert the_value('uda(subset="paper")', asked, "right answer") == 0.0
    assert the_value("token_f1", asked, "right answer") == 1.0


def test_row_b32_nothing_is_left_of_an_article() -> None:
    assert the_value('uda(subset="feta")', case("A"), "A") == 0.0
    assert the_value("token_f1", case("A"), "A") == 1.0


@pytest.mark.parametrize(
    ("answer", "gold", "f1"), [("Yes, they do.", "Yes", 1.0), ("No.", "No", 1.0), ("They do", "Yes", 0.0)]
)
def test_papers_compare_yes_and_no_by_the_beginning(answer: str, gold: str, f1: float) -> None:
    assert the_value('uda(subset="paper")', case(gold), answer) == f1


def test_row_b31_an_answer_that_failed_stays_in_the_denominator() -> None:
    planned = make_methods(evaluators.load(), [ComponentSpec("uda", {"subset": "nq"})])
    failed = an_answer(failure=Failure(FailureKind.MODEL, "the endpoint gave no answer"))
    (scores,) = score_batch(planned, [case("short")], [failed], ScoringContext())
    assert scores.scores[0].outcome is Outcome.FAILED


def test_nq_takes_the_better_of_long_and_short() -> None:
    assert the_value('uda(subset="nq")', case("a long answer", "short"), "short") == 1.0
