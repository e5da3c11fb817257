from __future__ import annotations

import random
from itertools import pairwise

import pytest

from bakeoff.models.model_settings import Patience
from bakeoff.models.refusals import EndpointTroubleError, RateLimitedError
from bakeoff.models.retrying import SHORTEST_WAIT_S, Attempts

TROUBLE = EndpointTroubleError("500")


def waits(
    patience: Patience, errors: list[RateLimitedError | EndpointTroubleError], seed: int = 0
) -> list[float | None]:
    attempts, now_s, found = Attempts(patience, uniform=random.Random(seed).uniform), 0.0, []
    for error in errors:
        attempts.requests += 1
        wait_s = attempts.wait_s(error, now_s)
        now_s += wait_s or 0.0
        found.append(wait_s)
    return found


@pytest.mark.parametrize("seed", range(50))
def test_waits_grow_under_a_doubling_ceiling(seed: int) -> None:
    patience = Patience(attempts=8, first_wait_s=0.5, longest_wait_s=8.0)

    found = [wait for wait in waits(patience, [TROUBLE] * 7, seed) if wait is not None]

    assert len(found) == 7
    for number, wait in enumerate(found):
        assert SHORTEST_WAIT_S <= wait <= min(8.0, 0.5 * 2**number)
    assert all(later >= min(1.25 * wait, 8.0) for wait, later in pairwise(found))


def test_those_who_failed_together_come_back_spread_over_the_whole_wait() -> None:
    first = [waits(Patience(first_wait_s=1.0), [TROUBLE], seed)[0] for seed in range(200)]

    assert min(first) < 0.15  # type: ignore[type-var]
    assert max(first) > 0.9  # type: ignore[type-var]


def test_failures_are_bounded_by_the_attempts() -> None:
    assert [wait is None for wait in waits(Patience(attempts=3), [TROUBLE] * 3)] == [False, False, True]


def test_refusals_are_bounded_by_the_requests_alone() -> None:
    found = waits(Patience(attempts=2, requests=5), [RateLimitedError("429", 0.0)] * 5)

    assert [wait is None for wait in found] == [False] * 4 + [True]


@pytest.mark.parametrize("seconds", [0.0, 0.02, 1.0, 30.0])
def test_nobody_comes_back_before_the_endpoint_said_or_much_later(seconds: float) -> None:
    for seed in range(50):
        [wait] = waits(Patience(), [RateLimitedError("429", seconds)], seed)
        assert wait is not None
        assert seconds <= wait <= seconds + max(0.05, 0.1 * seconds)


def test_patience_ends_with_its_time() -> None:
    assert waits(Patience(total_s=10), [RateLimitedError("429", 11.0)]) == [None]
    assert waits(Patience(total_s=10), [RateLimitedError("429", 6.0)] * 2)[1] is None
