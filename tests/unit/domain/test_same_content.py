"""Which cases count as the same question."""

from __future__ import annotations

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.same_content import content_of

CASE = Case("a", "Who built  the quay?", Expected(("Ann", "Ben")), metadata={"contexts": ["Ann and Ben built it."]})


@pytest.mark.parametrize(
    "other",
    [
        Case("b", "Who built the quay?", CASE.expected, metadata=CASE.metadata),
        Case("a", "WHO BUILT THE QUAY？", CASE.expected, metadata=CASE.metadata),
        Case("a", CASE.query, Expected(("ben", "ann")), metadata=CASE.metadata),
        Case("a", CASE.query, CASE.expected, metadata=CASE.metadata | {"choices": ["Ben", "Ann"]}),
    ],
    ids=["id and spacing", "capitals and forms of characters", "order of answers", "choices"],
)
def test_these_make_no_difference(other: Case) -> None:
    assert content_of(other) == content_of(CASE)


@pytest.mark.parametrize(
    "other",
    [
        Case("a", "Who built the spit?", CASE.expected, metadata=CASE.metadata),
        Case("a", CASE.query, Expected(("Ann",)), metadata=CASE.metadata),
        Case("a", CASE.query, CASE.expected, metadata={"contexts": ["Nobody knows."]}),
    ],
    ids=["question", "answers", "contexts"],
)
def test_these_make_another_question(other: Case) -> None:
    assert content_of(other) != content_of(CASE)


def test_without_gold_answers_the_expected_value_tells_cases_apart() -> None:
    one, two = (Case("a", "How many?", Expected(value=value)) for value in (1, 2))
    assert content_of(one) != content_of(two)


def test_half_a_pair_of_surrogates_is_text_too() -> None:
    assert len(content_of(Case("a", "\ud800?", Expected()))) == 16
