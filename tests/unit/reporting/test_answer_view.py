"""What the page says of how an answer came to its numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.prompt import Usage
from bakeoff.domain.score import Outcome, Score
from bakeoff.reporting.page.answer_view import ChoiceView, choice_views, readings, took
from tests.builders import a_case

RIGHT = Score("a", Outcome.SCORED, 1.0)


def a_choice_case(value: object, **metadata: object) -> Case:
    case = a_case("c")
    return replace(case, metadata=metadata, expected=replace(case.expected, value=value))


def test_choices_are_shown_under_their_labels_with_the_right_ones_marked() -> None:
    one = a_choice_case(1, choices=["red", "blue"])
    assert choice_views(one) == (ChoiceView("A", "red", False), ChoiceView("B", "blue", True))
    several = a_choice_case([0, 2], choices=["x", "y", "z"], choice_labels=["1", "2", "3"])
    assert [(each.label, each.right) for each in choice_views(several)] == [("1", True), ("2", False), ("3", True)]


@pytest.mark.parametrize("metadata", [{}, {"choices": "red or blue"}])
def test_a_case_without_choices_has_none_to_show(metadata: dict[str, object]) -> None:
    assert choice_views(a_choice_case(None, **metadata)) == ()


def test_metrics_that_read_the_same_share_a_line() -> None:
    details = {"a": {"extracted": "B", "by": "tag"}, "b": {"extracted": "B", "by": "tag"}, "c": {"extracted": "C"}}
    found = readings(details, [replace(RIGHT, metric=name) for name in "abc"])
    assert found == ("a, b: read as “B”, by tag", "c: read as “C”")


def test_an_empty_reading_a_list_and_a_long_one_are_told_as_such() -> None:
    assert readings({"a": {"extracted": " ", "by": "words"}}, [RIGHT]) == ("a: nothing was read in it, by words",)
    assert readings({"a": {"extracted": ["A", "C"]}}, [RIGHT]) == ("a: read as “A, C”",)
    (long,) = readings({"a": {"extracted": "word " * 100}}, [RIGHT])
    assert long.endswith("…”")
    assert len(long) < 110


def test_a_metric_without_a_number_says_why_where_everybody_can_read_it() -> None:
    failed = Score("a", Outcome.FAILED, failure=Failure(FailureKind.PARSE, "it names no choice"))
    idle = Score("b", Outcome.NOT_APPLICABLE, reason="the case has no choices")
    assert readings({}, [failed, idle, replace(RIGHT, metric="c")]) == (
        "a: failed (parse), it names no choice",
        "b: not applicable, the case has no choices",
    )


def test_what_a_model_took_is_told_in_a_line() -> None:
    usage = Usage(1200, 34, 26, 0.00021, 2, 12_345.6)
    assert took(usage) == "1,200 tokens in (26 of them cached), 34 tokens out, cost 0.0002, 12.3 s, 2 requests"
    assert took(Usage(attempts=0, latency_ms=5.0)) == "5.00 ms, stored already"
    assert took(None) == ""
