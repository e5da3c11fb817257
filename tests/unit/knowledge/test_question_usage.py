"""What embedding questions took, from the embedder to whoever began the search."""

from __future__ import annotations

import threading

import numpy as np

from bakeoff.domain.prompt import Usage
from bakeoff.knowledge.question_usage import of_each, questions_embedded, tell_questions, whole_shares


def told(questions: list[str], tokens: list[float], asked: set[str], price: float | None = 2.0) -> None:
    tell_questions(questions, np.array(tokens), asked, lambda share: None if price is None else price * share)


def test_each_question_has_its_share_and_whether_it_was_paid_now() -> None:
    with questions_embedded() as heard:
        told(["mole", "pier"], [3.0, 4.0], {"mole"})
    assert of_each(["pier", "mole", "ship"], heard) == [Usage(4, 0, None, 8.0, 0), Usage(3, 0, None, 6.0, 1), None]


def test_a_question_that_stands_there_again_was_paid_by_the_first() -> None:
    with questions_embedded() as heard:
        told(["mole"], [3.0], {"mole"})
    assert [each and each.attempts for each in of_each(["mole", "mole"], heard)] == [1, 0]


def test_a_question_that_is_paid_twice_has_both_and_one_that_is_then_kept_has_the_first() -> None:
    with questions_embedded() as heard:
        told(["mole", "pier"], [3.0, 4.0], {"mole", "pier"})
        told(["mole"], [3.0], {"mole"})
        told(["pier"], [4.0], set())
    assert heard == {"mole": Usage(6, 0, None, 12.0, 2), "pier": Usage(4, 0, None, 8.0, 1)}


def test_tokens_that_were_not_counted_are_not_known_and_cost_nothing_that_is_known() -> None:
    with questions_embedded() as heard:
        told(["mole", "pier"], [float("nan"), 4.0], {"mole"})
        told(["pier"], [4.0], {"pier"}, price=None)
    assert heard == {"mole": Usage(None, 0, None, None, 1), "pier": Usage(8, 0, None, None, 1)}


def test_whole_shares_have_the_sum_of_the_shares() -> None:
    assert whole_shares(np.array([1.4, 1.4, 1.4, float("nan"), 1.4, 1.4])) == [1, 2, 1, None, 2, 1]


def test_nobody_hears_of_another_search_or_thread() -> None:
    told(["mole"], [3.0], {"mole"})
    with questions_embedded() as outer:
        with questions_embedded() as inner:
            told(["mole"], [3.0], {"mole"})
        other = threading.Thread(target=told, args=(["ship"], [1.0], {"ship"}))
        other.start()
        other.join()
    assert (list(outer), list(inner)) == ([], ["mole"])
