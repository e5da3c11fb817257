"""What a report says in words."""

from __future__ import annotations

import pytest

from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case
from bakeoff.domain.report import Interval
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.wording import Verdict, interval, milliseconds, number, p_number, signed, size, verdict
from tests.builders import a_case, a_mode, a_recipe, a_request, an_answer
from tests.builders.evaluated import Says, evaluate

# 30 equal values v: 3.8415 / (30 + 3.8415) = 0.11351 of the way from v to the ends of the range.
CASES = [a_case(f"c{number:02d}") for number in range(30)]


def said(says: Says, *recipes: str, cases: list[Case] = CASES) -> Verdict:
    request = a_request(recipes=[a_recipe(name) for name in recipes])
    found = evaluate(request, cases, says, methods=["reciprocal_rank"])
    report = assemble(gather(found.plan, found.context))
    return verdict(report, report.benchmarks[0])


def better(entrant: str, case: Case) -> CaseAnswer:
    return an_answer(case.case_id, found=["d1"] if entrant.startswith("good") else ["d2", "d1"])


@pytest.mark.parametrize("order", [("good", "poor"), ("poor", "good")])
def test_the_better_one_comes_first_whatever_the_order(order: tuple[str, str]) -> None:
    assert said(better, *order).headline == "good is ahead of poor on mrr by 0.500 [0.330, 0.557], p < 0.001."


def test_no_difference_is_said_to_be_not_shown() -> None:
    found = said(lambda entrant, case: an_answer(case.case_id), "one", "two")
    assert found.headline == "No difference is shown between one and two on mrr: 0.000 [−0.114, 0.114], p = 1.000."


def test_the_highest_is_not_called_better_when_that_is_not_shown() -> None:
    # 1 of 30 cases differs, by 1 - 1/2: means 1 and 59/60; exact p of one difference is 1.
    def says(entrant: str, case: Case) -> CaseAnswer:
        slipped = entrant.startswith("poor") and case.case_id == "c07"
        return an_answer(case.case_id, found=["d2", "d1"] if slipped else ["d1"])

    found = said(says, "poor", "good")
    assert found.headline == "good has the highest mrr, 1.000 [0.886, 1.000], but is not shown to be better than poor."
    assert found.others == ("No difference is shown between good and poor on mrr: +0.017 [−0.017, 0.051], p = 1.000.",)


def test_one_entrant_has_its_score() -> None:
    found = said(lambda entrant, case: an_answer(case.case_id, found=["d2", "d1"]), "one")
    assert found.headline == "one scores mrr 0.500 [0.443, 0.557]."


def test_when_nothing_applies_that_is_said() -> None:
    cases = [a_case(f"c{number}", relevant=()) for number in range(3)]
    assert said(better, "one", cases=cases).headline == "Nothing could be measured: no metric applies to any case."


def test_a_recipe_with_several_modes_is_named_with_its_mode() -> None:
    recipe = a_recipe("r", query=[a_mode("full_text_search"), a_mode("vector_search")])
    found = evaluate(a_request(recipes=[recipe]), CASES, better, methods=["reciprocal_rank"])
    report = assemble(gather(found.plan, found.context))
    assert "between r/full_text_search and r/vector_search" in verdict(report, report.benchmarks[0]).headline


def test_numbers() -> None:
    assert (number(None), number(-0.12345), number(0.5, 1)) == ("–", "−0.1235", "0.5")
    assert (signed(0.0), signed(-0.00001), signed(0.25, 2), signed(-0.25, 2)) == ("0.0000", "0.0000", "+0.25", "−0.25")
    assert interval(Interval(-0.1, 0.2, 0.95, "student_t"), 2) == "[−0.10, 0.20]"
    assert (p_number(0.0004), p_number(0.0312), p_number(None)) == ("< 0.001", "0.031", "–")
    assert (size(12), size(2048), size(5 << 20), size(3 << 30)) == ("12 B", "2.0 KiB", "5.0 MiB", "3.0 GiB")


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, "–"), (0.0, "0.00 ms"), (471.294, "471.29 ms"), (10_000.0, "10.0 s"), (1.5e6, "1,500.0 s")],
)
def test_long_times_are_told_in_seconds(value: float | None, told: str) -> None:
    assert milliseconds(value) == told
