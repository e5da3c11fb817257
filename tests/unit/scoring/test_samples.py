"""Figures over several samples, against values by hand, by counting, and of a public test suite."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from bakeoff.domain.errors import InvalidInputError
from bakeoff.scoring.samples import g_pass_at_k, majority, mean_g_pass_at_k, mean_over_samples, pass_at_k

SUITES = Path("lighteval-metric-cases/tests/unit/metrics/test_cases")


def suite(data_dir: Path, name: str) -> list[dict[str, object]]:
    return json.loads((data_dir / SUITES / f"{name}.json").read_text())["test_cases"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("samples", "right", "k", "expected"),
    [
        (2, 1, 1, 0.5),
        (3, 1, 2, 2 / 3),  # 1 - C(2,2)/C(3,2)
        (5, 0, 3, 0.0),
        (5, 3, 3, 1.0),  # fewer wrong ones than are drawn
        (200, 3, 10, 1 - (190 * 189 * 188) / (200 * 199 * 198)),  # all three among the 190 that are not drawn
        (1000, 1, 1, 0.001),
    ],
)
def test_pass_at_k_is_the_chance_that_one_of_k_drawn_samples_is_right(
    samples: int, right: int, k: int, expected: float
) -> None:
    assert pass_at_k(samples=samples, right=right, k=k) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("right", range(6))
@pytest.mark.parametrize("k", range(1, 6))
def test_pass_at_k_agrees_with_counting_all_draws(right: int, k: int) -> None:
    draws = list(itertools.combinations([True] * right + [False] * (5 - right), k))
    assert pass_at_k(samples=5, right=right, k=k) == pytest.approx(sum(map(any, draws)) / len(draws))
    three_of_five = sum(sum(draw) >= 0.6 * k - 1e-9 for draw in draws) / len(draws)
    assert g_pass_at_k(samples=5, right=right, k=k, threshold=0.6) == pytest.approx(three_of_five)


@pytest.mark.parametrize(("samples", "right", "k"), [(2, 1, 3), (2, 1, 0), (2, 3, 1), (2, -1, 1)])
def test_no_estimate_where_there_is_no_unbiased_one(samples: int, right: int, k: int) -> None:
    with pytest.raises(InvalidInputError, match=str(samples)):
        pass_at_k(samples=samples, right=right, k=k)


def test_a_threshold_that_is_a_share_of_k_is_not_rounded_up() -> None:
    assert 7 / 25 * 25 > 7  # the float that must not become 8
    exact = g_pass_at_k(samples=25, right=7, k=25, threshold=7 / 25)
    assert exact == 1.0


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["a", "b", "b"], "b"),
        (["a", "b", "b", "a"], "a"),  # a tie: first seen
        ([None, None, "c"], "c"),
        ([None], None),
        ([], None),
    ],
)
def test_the_majority_ignores_samples_without_an_answer(answers: list[str | None], expected: str | None) -> None:
    assert majority(answers) == expected


def test_failed_and_missing_samples_count_as_zero_in_the_mean() -> None:
    assert mean_over_samples([1.0, None, 0.5]) == 0.5
    assert mean_over_samples([1.0], planned=4) == 0.25
    with pytest.raises(InvalidInputError, match="at least one"):
        mean_over_samples([])


@pytest.mark.data
def test_the_suites_of_pass_at_k(data_dir: Path) -> None:
    for case in suite(data_dir, "pass_at_k"):
        n, right = _counted(case, lambda text: text.strip())
        (expected,) = case["expected_output"].values()  # type: ignore[attr-defined]
        k = case["metric_params"]["k"]  # type: ignore[index]
        assert pass_at_k(samples=n, right=right, k=k) == pytest.approx(expected, abs=case["tolerance"])


@pytest.mark.data
def test_the_suite_of_g_pass_at_k(data_dir: Path) -> None:
    for case in suite(data_dir, "g_pass_at_k"):
        n, right = _counted(case, lambda text: text.strip())
        k = int(case["metric_params"]["k"])  # type: ignore[index]
        for name, expected in case["expected_output"].items():  # type: ignore[attr-defined]
            threshold = name.partition("_")[2]
            value = (
                mean_g_pass_at_k(samples=n, right=right, k=k)
                if name.startswith("mg-")
                else g_pass_at_k(samples=n, right=right, k=k, threshold=float(threshold))
            )
            assert value == pytest.approx(expected, abs=case["tolerance"]), (case["name"], name)


@pytest.mark.data
def test_the_suite_of_maj_at_k(data_dir: Path) -> None:
    for case in suite(data_dir, "maj_at_k"):
        texts = case["model_response"]["text"]  # type: ignore[index]
        doc = case["doc"]
        golds = [doc["choices"][index] for index in doc["gold_index"]]  # type: ignore[index]
        (expected,) = case["expected_output"].values()  # type: ignore[attr-defined]
        assert float(majority(texts) in golds) == expected


@pytest.mark.data
def test_the_suite_of_the_mean_over_samples(data_dir: Path) -> None:
    for case in suite(data_dir, "avg_at_k"):
        k = case["metric_params"]["k"]  # type: ignore[index]
        doc = case["doc"]
        indexes = doc["gold_index"]  # type: ignore[index]
        # That suite takes the first of several gold answers.
        gold = doc["choices"][indexes[0] if isinstance(indexes, list) else indexes]  # type: ignore[index]
        values = [float(text == gold) for text in case["model_response"]["text"][:k]]  # type: ignore[index]
        (expected,) = case["expected_output"].values()  # type: ignore[attr-defined]
        assert mean_over_samples(values) == pytest.approx(expected, abs=case["tolerance"])


def _counted(case, form) -> tuple[int, int]:  # type: ignore[no-untyped-def]
    doc, n = case["doc"], case["metric_params"]["n"]
    gold = form(doc["choices"][doc["gold_index"]])
    return n, sum(form(text) == gold for text in case["model_response"]["text"][:n])
