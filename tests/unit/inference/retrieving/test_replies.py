"""Replies are read strictly: what was asked for, or why it is not that."""

from __future__ import annotations

import pytest

from bakeoff.domain.answer import Failure, FailureKind
from bakeoff.domain.prompt import Completion, Usage
from bakeoff.inference.retrieving.listwise import permutation_of, windows_of
from bakeoff.inference.retrieving.pointwise import rating_of
from bakeoff.inference.retrieving.replies import UnreadableReplyError, object_of, unreadable
from bakeoff.inference.retrieving.rewriting import rewritten
from bakeoff.inference.retrieving.scouts import next_of


def said(text: str, finish_reason: str = "stop") -> Completion:
    return Completion(text, finish_reason, Usage())


def test_one_fence_around_the_whole_reply_is_overlooked() -> None:
    assert object_of('```json\n{"a": 1}\n```') == {"a": 1} == object_of(' {"a": 1}\n')


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "[1]",
        "3",
        'Here: {"a": 1}',
        '{"a": 1} {"a": 2}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": ',
        "[" * 9999,
    ],
)
def test_anything_else_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableReplyError):
        object_of(text)


def test_a_ranking_is_made_whole_and_what_was_wrong_is_counted() -> None:
    told = permutation_of('{"ranking": [3, 99, 1, 3, 0, -2]}', 4)
    assert told.places == (2, 0, 1, 3)
    assert (told.invented, told.repeated, told.missing) == (3, 1, 2)


@pytest.mark.parametrize(
    "text",
    [
        '{"ranking": []}',
        '{"ranking": [9]}',
        '{"ranking": ["1", "2"]}',
        '{"ranking": [1, true]}',
        '{"ranking": [1.0]}',
        '{"ranking": "1 > 2"}',
        '{"order": [1]}',
        "[2] > [1]",
    ],
)
def test_a_ranking_that_ranks_nothing_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableReplyError):
        permutation_of(text, 2)


@pytest.mark.parametrize("text", ['{"rating": 11}', '{"rating": -1}', '{"rating": "7"}', '{"rating": true}', "7"])
def test_a_rating_off_the_scale_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableReplyError):
        rating_of(text)


def test_windows_go_from_the_last_passage_to_the_first() -> None:
    assert windows_of(50, 20, 10) == [(30, 50), (20, 40), (10, 30), (0, 20)]
    assert windows_of(25, 20, 10) == [(5, 25), (0, 15)]
    assert windows_of(20, 20, 10) == [(0, 20)]
    assert windows_of(2, 20, 10) == [(0, 2)]


def test_questions_beyond_those_that_were_asked_for_are_dropped_and_counted() -> None:
    told = rewritten(said('{"queries": ["a  b", "a b", "c", "d"]}'), 2)
    assert not isinstance(told, Failure)
    assert (told.queries, told.dropped) == (("a b", "c"), 1)


@pytest.mark.parametrize("text", ['{"queries": []}', '{"queries": [" "]}', '{"queries": [1]}', '{"queries": "a"}', "a"])
def test_a_question_that_was_not_rewritten_is_a_failure_that_shows_the_reply(text: str) -> None:
    told = rewritten(said(text), 1)
    assert isinstance(told, Failure)
    assert told.kind is FailureKind.PARSE
    assert told.reason.startswith("rewriting the question: the model's reply cannot be read:")
    assert told.reason.endswith(f"it replied {text!r}")


def test_what_a_model_did_not_reply_to_is_the_models_fault_whoever_the_endpoint_blames() -> None:
    told = rewritten(Failure(FailureKind.INPUT, "the endpoint refused the prompt"), 1)
    assert told == Failure(FailureKind.MODEL, "rewriting the question: the endpoint refused the prompt")


def test_a_reply_that_was_cut_off_says_so() -> None:
    failure = unreadable("step", said('{"queries": ["a', "length"), UnreadableReplyError("it is no JSON object"))
    assert "cut off at `max_tokens`" in failure.reason


def test_what_comes_next_is_a_query_or_that_it_is_enough() -> None:
    assert next_of(said('{"enough": false, "query": " who\\n is "}')).query == "who is"
    assert next_of(said('{"enough": true, "query": "ignored"}')).ended == "enough"


@pytest.mark.parametrize("text", ['{"enough": false, "query": ""}', '{"enough": "true"}', '{"query": "x"}', "x"])
def test_neither_of_them_is_a_failure(text: str) -> None:
    failure = next_of(said(text)).failure
    assert failure is not None
    assert failure.kind is FailureKind.PARSE
