"""Agreement beyond chance, against published examples."""

from __future__ import annotations

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.reporting.agreement import Level, agreement_with_people, cohen_kappa, gwet_ac1, krippendorff_alpha

# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", example C: four observers, twelve units, gaps.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
UNITS = list(zip(*OBSERVERS, strict=True))


@pytest.mark.parametrize(("level", "alpha"), [(Level.NOMINAL, 0.743), (Level.ORDINAL, 0.815), (Level.INTERVAL, 0.849)])
def test_krippendorffs_own_example(level: Level, alpha: float) -> None:
    found = krippendorff_alpha(UNITS, level)
    assert found == pytest.approx(alpha, abs=0.0005)


def test_krippendorffs_example_of_two_observers() -> None:
    # The same paper, example A: ten units, two values; alpha = 0.095.
    left = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    right = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha(list(zip(left, right, strict=True)), Level.NOMINAL) == pytest.approx(0.095, abs=0.0005)


def test_kappa_of_the_textbook_table() -> None:
    # 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: (0.7 - 0.5) / (1 - 0.5)
    left, right = _table([("y", "y", 20), ("y", "n", 5), ("n", "y", 10), ("n", "n", 15)])
    assert cohen_kappa(left, right) == pytest.approx(0.4)


def test_gwets_paradox_where_kappa_breaks_down() -> None:
    # 118, 5, 2, 0 of 125: the raters agree on 94 %, and kappa is below chance (Gwet 2002).
    left, right = _table([("+", "+", 118), ("+", "-", 5), ("-", "+", 2), ("-", "-", 0)])
    assert cohen_kappa(left, right) == pytest.approx(-0.0234, abs=0.0001)
    share = (123 + 120) / 250
    chance = 2 * share * (1 - share)
    assert gwet_ac1(left, right) == pytest.approx((118 / 125 - chance) / (1 - chance))
    assert gwet_ac1(left, right) == pytest.approx(0.9408, abs=0.0001)


def test_quadratic_weights_forgive_near_misses() -> None:
    near, far = ([1, 2, 3, 4], [2, 2, 3, 4]), ([1, 2, 3, 4], [4, 2, 3, 4])
    # near: seen 1; chance: sums over all pairs of (a-b)² = 4·30 + 4·33 - 2·10·11 = 32 → 1 - 4·1/32
    assert cohen_kappa(*near, quadratic=True) == pytest.approx(1 - 4 / 32)
    assert cohen_kappa(*near) == pytest.approx(cohen_kappa(*far), abs=0.06)  # unweighted, they are about alike
    assert (cohen_kappa(*far, quadratic=True) or 0) < 0.5


def test_two_categories_need_no_weights() -> None:
    left, right = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1]
    assert cohen_kappa(left, right, quadratic=True) == cohen_kappa(left, right)


def test_perfect_agreement_is_one_and_what_is_not_defined_is_none() -> None:
    assert cohen_kappa([1, 2], [1, 2]) == gwet_ac1([1, 2], [1, 2]) == 1.0
    assert krippendorff_alpha([(1, 1), (2, 2)], Level.ORDINAL) == 1.0
    assert cohen_kappa([1, 1], [1, 1]) is None
    assert gwet_ac1([1, 1], [1, 1]) is None
    assert krippendorff_alpha([(1, 1), (1, 1)], Level.NOMINAL) is None
    assert krippendorff_alpha([(1, None)], Level.NOMINAL) is None
    assert cohen_kappa([], []) is None


def test_agreement_is_over_the_cases_that_both_have_rated() -> None:
    judge = {"a": 1, "b": 2, "c": 3, "only judge": 5}
    people = {"a": 1, "b": 2, "c": 2, "not valid for the judge": 1, "nor this": 4}
    found = agreement_with_people(judge, people, Level.ORDINAL)
    assert (found.cases, found.only_judge, found.only_people) == (3, 1, 2)
    assert found.share == pytest.approx(2 / 3)
    assert found.weighted_kappa is not None
    assert agreement_with_people({"a": "x"}, {"a": "x"}, Level.NOMINAL).weighted_kappa is None


def test_words_have_no_distance() -> None:
    with pytest.raises(InvalidInputError, match="'good'"):
        krippendorff_alpha([("good", "bad")], Level.ORDINAL)
    with pytest.raises(InvalidInputError, match="2 and 1"):
        cohen_kappa([1, 2], [1])


def _table(cells: list[tuple[str, str, int]]) -> tuple[list[str], list[str]]:
    pairs = [(a, b) for a, b, count in cells for _ in range(count)]
    return [a for a, _ in pairs], [b for _, b in pairs]
