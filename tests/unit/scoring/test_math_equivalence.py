"""Mathematical equality: the rows where math-verify errs, and what must stay equal."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from bakeoff.domain.answer import FailureKind
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import CaseScores, Outcome
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.math_equality import official_comparison, strict_comparison
from bakeoff.scoring.math_reading import readable
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from bakeoff.scoring.samples import g_pass_at_k, mean_over_samples, pass_at_k
from tests.builders import a_case, an_answer

SUITES = Path("lighteval-metric-cases/tests/unit/metrics/test_cases")


def judged(method: str, answer: str, *golds: str) -> CaseScores:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method)])
    (scored,) = score_batch(planned, [a_case(answers=golds)], [an_answer(text=answer)], ScoringContext())
    return scored


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        pytest.param("1/2004!", "1/2006!", id="row B13 factorials"),
        pytest.param("$1/2004!$", "$1/2006!$", id="row B13 factorials in LaTeX"),
        pytest.param("1/2^99", "1/2^98", id="row B13 powers"),
        pytest.param("$1/2^{99}$", "$1/2^{98}$", id="row B13 powers in LaTeX"),
        pytest.param("$0.00000000001$", "$0.00000000002$", id="tiny decimals"),
        pytest.param("10^{-20}", "10^{-21}", id="tiny powers of ten"),
        pytest.param(r"$\{1/2^{99}, 3\}$", r"$\{1/2^{98}, 3\}$", id="tiny number in a set"),
        pytest.param("$x/2^{99}$", "$x/2^{98}$", id="tiny factor"),
        pytest.param("0", "0.0000001", id="not quite nothing"),
        pytest.param("5", "2x+1=5", id="row B14 an equation is not its right side"),
        pytest.param("12:00", "1:00", id="rule 8 times of day"),
        pytest.param("12:00", "It is 12:30", id="times of day in prose"),
        pytest.param("(1,2)", "(2,1)", id="order of a pair"),
        pytest.param("$(1,2)$", r"$1<x\le 2$", id="half open interval"),
        pytest.param("|x|", "x", id="sign of x"),
        pytest.param("2", "2^3", id="a part of the answer"),
        pytest.param("0.5", "50", id="a hundredfold"),
        pytest.param("A", "B", id="letters"),
    ],
)
def test_what_differs_is_not_equal(gold: str, answer: str) -> None:
    assert strict_comparison([gold], answer).equal is False


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        pytest.param("0.5", "1/2", id="rule 8 decimal and fraction"),
        pytest.param("50%", "0.5", id="rule 8 per cent"),
        pytest.param("50", "50%", id="asked for per cent"),
        pytest.param("1,000", "1000", id="rule 8 thousands"),
        pytest.param("x=5", "5", id="rule 8 assignment"),
        pytest.param("5", "x=5", id="assignment in the answer"),
        pytest.param("5", "2+3=5", id="a sum done"),
        pytest.param("42", "**42**", id="rule 8 Markdown bold"),
        pytest.param("2**3 + 4**5", "1032", id="powers are no bold"),
        pytest.param("$1/3$", "0.333333", id="rounded decimal"),
        pytest.param("$(1,2)$", "$1<x<2$", id="row B16 interval and inequality"),
        pytest.param("$1<x<2$", "$(1,2)$", id="row B16 the other way round"),
        pytest.param("1/2^99", "2^{-99}", id="tiny and equal"),
        pytest.param("(x+1)^2", "x^2+2x+1", id="expanded"),
        pytest.param(r"\sin x", "sin(x)", id="a function without its stroke"),
        pytest.param(r"$\frac{\pi}{2}$", "π/2", id="a Greek letter"),
        pytest.param("2/3", "So we divide.\nThe answer is 2/3.", id="stated answer"),
        pytest.param("2/3", r"Thus $x=4$ and \boxed{\frac{2}{3}}", id="boxed answer"),
        pytest.param("7/2", "3 1/2", id="mixed number"),
        pytest.param("5", r"$5\text{ cm}$", id="a unit"),
        pytest.param(r"\text{Evelyn}", "The answer is Evelyn.", id="a name"),
        pytest.param("12:00", "It is 12:00.", id="the same time of day"),
        pytest.param("72", "48/2 = 24 clips. Altogether 48+24 = 72 clips.\n#### 72", id="GSM8K's mark"),
    ],
)
def test_what_is_the_same_is_equal(gold: str, answer: str) -> None:
    assert strict_comparison([gold], answer).equal is True


@pytest.mark.parametrize(("gold", "answer"), [(r"$\sqrt{1/n}$", r"$1/\sqrt{n}$"), ("√(1/n)", "1/√n")])
def test_row_b15_holds_for_positive_n_and_says_so(gold: str, answer: str) -> None:
    found = strict_comparison([gold], answer)
    assert (found.equal, found.assumed) == (True, "every variable is positive")
    assert strict_comparison(["x+1"], "1+x").assumed == ""


def test_official_mode_keeps_math_verifys_errors() -> None:
    assert official_comparison(["$1/2004!$"], "$1/2006!$").equal is True  # row B13
    assert official_comparison(["$1/2^{99}$"], "$1/2^{98}$").equal is True  # row B13
    assert official_comparison([r"$\sqrt{1/n}$"], r"$1/\sqrt{n}$").equal is False  # row B15
    assert official_comparison(["$(1,2)$"], "$1<x<2$").equal is False  # row B16
    assert official_comparison(["$1<x<2$"], "$(1,2)$").equal is True  # row B16


def test_any_gold_answer_may_be_right() -> None:
    assert strict_comparison(["3", "1/2"], "0.5").equal is True


def test_prose_is_left_as_it_is() -> None:
    assert readable("I do not know") == "I do not know"
    assert readable("It costs 5 pounds") == "It costs 5 pounds"


# --- the evaluator


def test_row_b17_it_works_in_any_thread() -> None:
    found: list[CaseScores] = []
    thread = threading.Thread(target=lambda: found.append(judged("math_equivalence()", "1/2", "0.5")))
    thread.start()
    thread.join()
    assert found[0].scores[0].value == 1.0
    assert found[0].details["math_equivalence"] == {"gold": r"\frac{1}{2}", "answer": r"\frac{1}{2}"}


def test_an_answer_without_mathematics_is_a_parse_failure() -> None:
    (score,) = judged("math_equivalence()", "I do not know", "5").scores
    assert score.outcome is Outcome.FAILED
    assert score.failure is not None
    assert score.failure.kind is FailureKind.PARSE
    assert judged('math_equivalence(mode="official")', "I do not know", "5").scores[0].value == 0.0


def test_what_takes_too_long_fails_alone() -> None:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse("math_equivalence(time_limit_s=0.5)")])
    cases = [a_case("slow", answers=["$9^{9^{9}}$"]), a_case("quick", answers=["2"])]
    answers = [an_answer("slow", text="$3$"), an_answer("quick", text="2")]
    slow, quick = score_batch(planned, cases, answers, ScoringContext())
    assert quick.scores[0].value == 1.0
    assert slow.scores[0].failure is not None
    assert slow.scores[0].failure.kind is FailureKind.JUDGE
    assert "0.5 s" in slow.scores[0].failure.reason


@pytest.mark.data
def test_the_suites_of_pass_at_k_and_mean_for_mathematics(data_dir: Path) -> None:
    for case in _suite(data_dir, "pass_at_k_math"):
        rights = _rights(case, case["metric_params"]["n"])
        (expected,) = case["expected_output"].values()
        found = pass_at_k(samples=len(rights), right=sum(rights), k=case["metric_params"]["k"])
        assert found == pytest.approx(expected, abs=case["tolerance"])
    for case in _suite(data_dir, "avg_at_k_math"):
        (expected,) = case["expected_output"].values()
        assert mean_over_samples(_rights(case, case["metric_params"]["k"])) == pytest.approx(expected)


@pytest.mark.data
def test_the_suite_of_g_pass_at_k_for_mathematics_but_for_what_it_cannot_read(data_dir: Path) -> None:
    for case in _suite(data_dir, "g_pass_at_k_math"):
        gold = case["doc"]["choices"][0]
        rights = _rights(case, case["metric_params"]["n"])
        for name, expected in case["expected_output"].items():
            if name.startswith("mmath"):
                continue
            threshold = float(name.rpartition("_")[2])
            found = g_pass_at_k(
                samples=len(rights), right=sum(rights), k=case["metric_params"]["k"], threshold=threshold
            )
            if gold in ("x^2/2", "n(n+1)/2"):
                assert expected == 0.0  # without dollars, that harness finds no mathematics in them
                assert rights[0]
            else:
                assert found == pytest.approx(expected, abs=case["tolerance"]), (case["name"], name)


def _suite(data_dir: Path, name: str) -> list:  # type: ignore[type-arg]
    return json.loads((data_dir / SUITES / f"{name}.json").read_text())["test_cases"]  # type: ignore[no-any-return]


def _rights(case: dict, samples: int) -> list[bool]:  # type: ignore[type-arg]
    index = case["doc"]["gold_index"]
    gold = case["doc"]["choices"][index[0] if isinstance(index, list) else index]
    return [strict_comparison([gold], text).equal is True for text in case["model_response"]["text"][:samples]]
