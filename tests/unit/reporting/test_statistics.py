"""Intervals and tests against published values and brute force."""

from __future__ import annotations

import itertools
import random
from operator import mul

import pytest
from scipy import stats

from bakeoff.reporting.statistics import (
    holm,
    mean,
    mean_interval,
    seed_of,
    sign_flip_p,
    t_interval,
    wilson_interval,
)


@pytest.mark.parametrize(("successes", "count", "low", "high"), [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775)])
def test_wilson(successes: int, count: int, low: float, high: float) -> None:
    found = wilson_interval(successes, count, 0.95)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_the_t_interval_is_scipys() -> None:
    values = [0.2, 0.5, 0.9, 0.4, 0.35]
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    found = t_interval(values, 0.9, 0.0, 1.0)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_t_interval_stays_within_the_metrics_range() -> None:
    found = t_interval([1.0, 1.0, 0.9], 0.95, 0.0, 1.0)
    assert found is not None
    assert found.high == 1.0


@pytest.mark.parametrize("count", [2, 5, 100])
@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_values_are_no_proof_of_the_next_one(value: float, count: int) -> None:
    # The upper limit for a share that was never seen, by scipy; with it the mean moves towards either end.
    others = stats.binomtest(0, count).proportion_ci(0.95, method="wilson").high
    found = mean_interval([value] * count, 0.95, 0.0, 1.0)
    assert found is not None
    assert found.method == "wilson_unvaried"
    expected = (value * (1 - others), value + (1 - value) * others)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


def test_two_ties_say_little_of_a_win_rate() -> None:
    # z² / (2 + z²) = 0.65762 with z = 1.95996; half of that to either side of 0.5
    found = mean_interval([0.5, 0.5], 0.95, 0.0, 1.0)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.17119, 0.82881), abs=5e-6)


def test_values_that_are_all_right_have_the_interval_of_a_share() -> None:
    found, share = mean_interval([1.0] * 10, 0.95, 0.0, 1.0), wilson_interval(10, 10, 0.95)
    assert found is not None
    assert share is not None
    assert (found.low, found.high) == pytest.approx((share.low, share.high), abs=1e-12)


def test_differences_that_rounding_alone_tells_apart_are_equal() -> None:
    found = mean_interval([0.3 - 0.2, 0.2 - 0.1, 0.4 - 0.3], 0.95, -1.0, 1.0)
    assert found is not None
    assert found.method == "wilson_unvaried"


def test_equal_values_without_bounds_have_no_interval() -> None:
    assert mean_interval([7.5] * 9, 0.95, 0.0, None) is None
    assert mean_interval([0.0] * 9, 0.95, float("-inf"), None) is None


def test_values_that_vary_have_students_interval() -> None:
    values = [0.5, 0.5, 1.0]
    assert mean_interval(values, 0.95, 0.0, 1.0) == t_interval(values, 0.95, 0.0, 1.0)
    assert mean_interval([7.5, 8.0], 0.95, 0.0, None) == t_interval([7.5, 8.0], 0.95, 0.0, None)


def test_one_case_has_no_interval_and_no_p() -> None:
    assert t_interval([0.5], 0.95, 0.0, 1.0) is None
    assert mean_interval([0.5], 0.95, 0.0, 1.0) is None
    assert wilson_interval(1, 1, 0.95) is None
    assert sign_flip_p([0.5], 1) is None


def test_the_randomisation_test_is_exact_for_few_differences() -> None:
    # three differences: 2 of 8 sign patterns are as extreme
    assert sign_flip_p([1, 0, 0, 1, 0, 0, 1, 0], 1) == 0.25
    differences = [0.3, -0.1, 0.25, 0.4, -0.05, 0.1]
    flipped = (map(mul, signs, differences) for signs in itertools.product((1, -1), repeat=6))
    extreme = sum(abs(sum(each)) >= abs(sum(differences)) - 1e-12 for each in flipped)
    assert sign_flip_p(differences, 1) == extreme / 64


def test_no_difference_at_all_has_a_p_of_1() -> None:
    assert sign_flip_p([0.0] * 50, 1) == 1.0


def test_random_flips_agree_with_the_exact_test() -> None:
    random_values = random.Random(7)
    differences = [random_values.gauss(0.15, 0.5) for _ in range(20)]
    exact = sign_flip_p(differences, 1)
    # a pair that adds and takes the same tiny amount makes it 22 differences, and changes the sum by nothing
    approximate = sign_flip_p([*differences, 1e-9, -1e-9], 1)
    assert exact is not None
    assert approximate == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 9_999) ** 0.5)


def test_random_flips_are_the_same_for_the_same_seed_in_any_order() -> None:
    random_values = random.Random(7)
    differences = [random_values.gauss(0.05, 0.5) for _ in range(300)]
    shuffled = random_values.sample(differences, 300)
    assert sign_flip_p(differences, 5) == sign_flip_p(shuffled, 5) == sign_flip_p(differences, 5)


def test_the_least_p_of_random_flips_is_one_in_ten_thousand() -> None:
    assert sign_flip_p([1.0] * 40, 1) == 0.0001


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_mean_does_not_depend_on_the_order() -> None:
    random_values = random.Random(3)
    values = [random_values.random() for _ in range(1001)]
    means = {mean(random_values.sample(values, len(values))) for _ in range(50)}
    assert means == {mean(values)}


def test_seeds_differ_by_every_name() -> None:
    assert len({seed_of(1, "a", "b"), seed_of(1, "ab", ""), seed_of(2, "a", "b"), seed_of(1, "b", "a")}) == 4


def test_on_right_and_wrong_the_randomisation_test_is_mcnemars_exact_test() -> None:
    # one case only the baseline has right, eight only the entrant: 2 * (1 + 9) of 2^9 patterns are as extreme
    assert sign_flip_p([1.0] * 8 + [-1.0] + [0.0] * 30, 1) == 0.0390625
