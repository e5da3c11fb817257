from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.models.model_settings import Bounds
from bakeoff.models.pace import (
    DOUBLING_S,
    SLOWEST_PER_S,
    Allowance,
    Pressure,
    Seen,
    cut,
    grown,
    worth_a_cut,
)

BOUNDS = Bounds(most_at_once=100, most_per_s=1000, start_at_once=8, start_per_s=20)
START = Allowance.at_start(BOUNDS)
BY_PACE, BY_WINDOW = Pressure(by_pace=True), Pressure(by_window=True)


def seen(
    pressure: Pressure, *, elapsed_s: float = 0.1, answered: int = 8, refused: float = 0.0, slow: bool = False
) -> Seen:
    return Seen(elapsed_s, answered, answered + refused, refused, pressure, slow)


def test_the_pace_doubles_until_the_endpoint_first_refuses() -> None:
    assert grown(START, seen(BY_PACE, elapsed_s=DOUBLING_S), BOUNDS).per_s == pytest.approx(40)


def test_requests_in_flight_double_with_every_windowful_of_answers() -> None:
    assert grown(START, seen(BY_WINDOW, answered=8), BOUNDS).at_once == 16


def test_nothing_grows_that_held_nothing_back() -> None:
    after = grown(START, seen(Pressure(), elapsed_s=60), BOUNDS)

    assert (after.per_s, after.at_once) == (START.per_s, START.at_once)


def test_requests_that_would_only_queue_are_not_made() -> None:
    assert grown(START, seen(BY_WINDOW, slow=True), BOUNDS).at_once == START.at_once


def test_nothing_grows_beyond_the_bounds() -> None:
    after = grown(START, seen(Pressure(True, True), elapsed_s=100, answered=5000), BOUNDS)

    assert (after.per_s, after.at_once) == (1000, 100)


def test_a_refusal_shrinks_what_held_back_and_leaves_the_other() -> None:
    by_pace = cut(START, seen(BY_PACE, answered=50, refused=5))
    by_window = cut(START, seen(BY_WINDOW, answered=50, refused=5))

    assert by_pace.per_s < START.per_s
    assert by_pace.at_once == START.at_once
    assert by_window.at_once < START.at_once
    assert by_window.per_s == START.per_s


def test_after_the_first_cut_the_pace_returns_to_just_below_what_was_borne_and_then_creeps() -> None:
    running = replace(START, per_s=51.0, bearable_per_s=50.0, pressed_s=9.9, borne=495 - 49)
    after = cut(running, seen(BY_PACE, answered=49, refused=1))
    assert after.per_s < 49.0

    paces = []
    for _ in range(100):
        after = grown(after, seen(BY_PACE, answered=5), BOUNDS)
        paces.append(after.per_s)

    assert paces == sorted(paces)
    assert 49 < paces[20] < 51  # after two seconds
    assert 51 < paces[50] < 75  # after five: it looks whether there is more


def test_a_pace_far_too_high_comes_down_by_the_share_that_was_refused() -> None:
    running = replace(START, per_s=100.0, bearable_per_s=100.0, pressed_s=10.0, borne=1000)

    assert 60 <= cut(running, seen(BY_PACE, answered=70, refused=30)).per_s < 70


def test_the_pace_never_stops_altogether() -> None:
    allowance = START
    for _ in range(100):
        allowance = cut(allowance, seen(Pressure(True, True), answered=0, refused=20))

    assert allowance.per_s >= SLOWEST_PER_S
    assert allowance.at_once >= 1


def test_a_single_refusal_right_after_a_cut_is_no_evidence() -> None:
    just_cut = replace(START, calm_s=0.1)

    assert not worth_a_cut(just_cut, seen(BY_PACE, answered=1, refused=1))
    assert worth_a_cut(just_cut, seen(BY_PACE, answered=9, refused=1))
    assert worth_a_cut(replace(START, calm_s=5.0), seen(BY_PACE, answered=1, refused=1))
    assert not worth_a_cut(START, seen(BY_PACE, answered=100))


def test_refusals_that_are_no_evidence_yet_stop_the_growth() -> None:
    assert grown(START, seen(BY_PACE, refused=1), BOUNDS).per_s == START.per_s
