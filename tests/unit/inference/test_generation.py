from __future__ import annotations

from collections.abc import Sequence

import pytest

from bakeoff.domain.answer import Failure, FailureKind, Passage
from bakeoff.domain.errors import UnavailableError
from bakeoff.domain.failing import LONGEST_REASON, failure_of
from bakeoff.inference.generation import RETRY_AFTER_S, generate
from bakeoff.inference.generator import Generated


class Busy:
    """Does not answer the first times."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.calls = 0

    def generate(self, question: str, passages: Sequence[Passage], *, seed: int, case_id: str) -> Generated:
        self.calls += 1
        if self.calls <= self.times:
            raise UnavailableError("rate limit")
        return Generated("at last")


@pytest.mark.parametrize("times", [0, 1, len(RETRY_AFTER_S)])
def test_a_model_that_does_not_answer_is_asked_again_with_growing_waits(times: int) -> None:
    waits: list[float] = []

    outcome = generate(Busy(times), "q", [], seed=0, case_id="c", sleep=waits.append)

    assert outcome.result == Generated("at last")
    assert waits == list(RETRY_AFTER_S[:times])
    assert waits == sorted(waits)


def test_a_model_that_stays_away_fails_the_case() -> None:
    busy = Busy(100)

    outcome = generate(busy, "q", [], seed=0, case_id="c", sleep=lambda seconds: None)

    assert outcome.result == Failure(FailureKind.MODEL, "rate limit")
    assert busy.calls == len(RETRY_AFTER_S) + 1


def test_a_reason_is_one_line_of_bounded_length_that_can_be_stored() -> None:
    failure = failure_of(ValueError("two\nlines \ud800 " + "x" * 1000), FailureKind.MODEL)

    assert failure.reason.startswith("ValueError: two lines ? xxx")
    assert len(failure.reason) == LONGEST_REASON
