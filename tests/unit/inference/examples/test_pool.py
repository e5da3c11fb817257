from __future__ import annotations

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.examples.pool import ExamplePool


def a_case(name: str, question: str, *answers: str, **metadata: object) -> Case:
    return Case(name, question, Expected(answers), metadata=metadata)


def test_d10_the_same_case_again_is_no_other_example() -> None:
    rows = [a_case("a", "A?"), a_case("b", "B?"), a_case("c", "C?")]
    repeated = [row for row in rows for _ in range(3)]

    assert list(ExamplePool(repeated)) == rows


def test_two_different_cases_with_one_id_are_an_error() -> None:
    with pytest.raises(InvalidInputError, match="id 'a'"):
        ExamplePool([a_case("a", "A?"), a_case("a", "B?")])


@pytest.mark.parametrize(
    "twin",
    [
        a_case("2", "what  is\nit?", "two", "one"),
        a_case("2", "Ｗhat is it?", "One", "TWO"),
        a_case("2", "What is it?", "One", "Two", choices=["Two", "One"]),
    ],
)
def test_the_case_itself_is_known_by_content(twin: Case) -> None:
    assert ExamplePool([twin]).itself(a_case("1", "What is it?", "One", "Two")) == {"2"}


@pytest.mark.parametrize(
    "other",
    [
        a_case("2", "What was it?", "One"),
        a_case("2", "What is it?", "Two"),
        a_case("2", "What is it?"),
        a_case("2", "What is it?", "One", contexts=["another text"]),
    ],
)
def test_another_question_answer_or_text_is_another_case(other: Case) -> None:
    assert ExamplePool([other]).itself(a_case("1", "What is it?", "One")) == frozenset()


def test_the_case_itself_is_known_by_id() -> None:
    assert ExamplePool([a_case("1", "edited", "x")]).itself(a_case("1", "What is it?", "One")) == {"1"}


def test_answers_that_are_no_text_tell_cases_apart() -> None:
    one, two = Case("1", "Q", Expected(value=1)), Case("2", "Q", Expected(value=2))

    assert ExamplePool([two]).itself(one) == frozenset()
    assert [case.case_id for case in ExamplePool([two, one, Case("3", "q", Expected(value=1))]).distinct] == ["1", "2"]
