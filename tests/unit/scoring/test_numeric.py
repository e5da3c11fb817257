"""Numbers as people write them, and the comparison of numbers as numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.scoring.evaluators.gsm8k import last_number, value_of
from bakeoff.scoring.quantities import quantities, whole_quantity
from tests.builders import a_case
from tests.builders.scoring import a_choice_case, the_scores, the_value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$1,000.50", ["1000.50"]),
        ("US$ 5.2 billion", ["5200000000"]),
        ("3.5bn", ["3500000000"]),
        ("18k km", ["18000"]),
        ("2万", ["20000"]),
        ("-27%", ["-0.27"]),
        ("27 per cent", ["0.27"]),
        ("(27.0)%", ["-0.27"]),
        ("($1,234)", ["-1234"]),
        ("(5)", ["5"]),
        ("−3", ["-3"]),
        ("1/2", ["0.5"]),
        ("1/0", []),
        ("1e-3", ["0.001"]),
        ("x = -7", ["-7"]),
        ("1990-1995", ["1990", "1995"]),
        ("H2O has 3 atoms", ["3"]),
        ("7 metres", ["7"]),
        ("１２", ["12"]),
        ("version 1.2.3", []),
        ("1e9999", ["1"]),
        ("none", []),
    ],
)
def test_numbers_are_read(text: str, values: list[str]) -> None:
    assert [float(found.value) for found in quantities(text)] == [pytest.approx(float(value)) for value in values]


@pytest.mark.parametrize(("text", "whole"), [("12.", True), (" $5 ", True), ("7 cats", False), ("x = 7", False)])
def test_a_text_is_a_number_or_more(text: str, whole: bool) -> None:
    assert (whole_quantity(text) is not None) is whole


@pytest.mark.parametrize(
    ("answer", "gold", "value"),
    [
        ("2", "2", 1.0),
        ("12", "2", 0.0),
        ("25", "5", 0.0),  # B34
        ("5", "5", 1.0),
        ("-5", "5", 0.0),
        ("1,000", "1000", 1.0),
        ("$18.00", "18", 1.0),
        ("The answer is 18, which is 3 times 6.", "18", 1.0),
        ("It is 3 times 6. So it is 18 dollars", "18", 1.0),
        ("\\boxed{18} of 20", "18", 1.0),
        ("<think>17</think>18", "18", 1.0),
        ("50%", "0.5", 1.0),
        ("50", "50%", 0.0),
        ("5 million", "5000000", 1.0),
        ("5 million", "5", 0.0),
        ("0.5", "1/2", 1.0),
        ("(1,234)", "-1234", 1.0),
        ("eighteen", "18", "failed: parse"),
        ("", "18", "failed: parse"),
        ("18", "eighteen", "not_applicable"),
    ],
)
def test_numbers_are_compared_as_numbers(answer: str, gold: str, value: float | str) -> None:
    assert the_value("numeric", a_case(answers=[gold]), answer) == value


@pytest.mark.parametrize(
    ("method", "answer", "gold", "value"),
    [
        ("numeric(tolerance=0.01)", "100.9", "100", 1.0),  # B25
        ("numeric(tolerance=0.01)", "101.1", "100", 0.0),  # B25
        ("numeric(scale=false)", "5 million", "5", 1.0),  # B25, as the official script does
        ("numeric(scale=false)", "-5", "5", 0.0),  # B25
        ("numeric(tolerance=0.012)", "-27.0%", "-0.26689", 1.0),  # B24
        ("numeric(tolerance=0.012)", "-27", "-0.26689", 0.0),  # B24
        ("numeric(percent=false)", "27", "27%", 1.0),
        ("numeric(percent=false)", "0.27", "27%", 1.0),
        ("numeric(percent=false)", "270", "27%", 0.0),
        ("numeric", "23.42", "23.42%", 0.0),  # B27
        ("numeric", "23.42%", "23.42%", 1.0),  # B27
        ("numeric", "0.2342", "23.42%", 1.0),  # B27
        ("numeric", "5", "5 thousand", 0.0),  # B27
        ("numeric", "5 thousand", "5 thousand", 1.0),  # B27
        ("numeric", "5000", "5 thousand", 1.0),  # B27
    ],
)
def test_tolerance_percent_and_scale(method: str, answer: str, gold: str, value: float) -> None:
    assert the_value(method, a_case(answers=[gold]), answer) == value


def test_what_was_overlooked_is_told() -> None:
    details = the_scores("numeric(scale=false)", a_case(answers=["5"]), "(5.0 million)").details
    (told,) = details.values()
    assert told == {
        "extracted": "(5.0 million",
        "parentheses": False,
        "percent_mismatch": False,
        "scale_mismatch": True,
    }
    (told,) = the_scores("numeric", a_case(answers=["-0.27"]), "(27.0)%").details.values()  # B24
    assert isinstance(told, dict)
    assert told["parentheses"] is True


def test_an_expected_value_is_a_number_but_not_the_place_of_a_choice() -> None:
    assert the_value("numeric", Case("c1", "?", Expected(value=18)), "18") == 1.0
    assert the_value("numeric", a_choice_case(value=1), "1") == "not_applicable"


def test_settings_show_in_the_name() -> None:
    names = [
        the_scores(method, a_case(answers=["5"]), "5").scores[0].metric
        for method in ("numeric", "numeric(tolerance=0.01)", "numeric(percent=false, scale=false)")
    ]
    assert names == ["numeric", "numeric@0.01", "numeric_any_percent_any_scale"]


@pytest.mark.parametrize(
    ("mode", "answer", "value"),
    [
        ("strict", "3 * 6 = 18\n#### 18", 1.0),
        ("strict", "#### 1,8 and 2", 1.0),
        ("strict", "#### $18.", 1.0),
        ("strict", "The answer is 18", "failed: parse"),
        ("strict", "#### 17, not 18", 0.0),
        ("flexible", "The answer is 18.", 1.0),
        ("flexible", "18 is 3 * 6", 0.0),
        ("flexible", "A: -18", 0.0),
        ("flexible", "no idea", "failed: parse"),
    ],
)
def test_gsm8k_modes(mode: str, answer: str, value: float | str) -> None:
    case = a_case(answers=["Six times three.\n#### 18"])
    assert the_value(f'gsm8k(mode="{mode}")', case, answer) == value


@pytest.mark.data
def test_gsm8k_agrees_with_all_published_verdicts(data_dir: Path) -> None:
    lines = (data_dir / "gsm8k" / "grade_school_math" / "data" / "example_model_solutions.jsonl").read_text()
    right: dict[str, int] = {}
    count = 0
    for row in map(json.loads, lines.splitlines()):
        gold = whole_quantity(row["ground_truth"].rpartition("A:")[2])
        assert gold is not None
        for model, solved in row.items():
            if not isinstance(solved, dict):
                continue
            is_right = value_of(last_number(solved["solution"]) or "none") == gold.value
            assert is_right == solved["is_correct"], solved["solution"]
            right[model] = right.get(model, 0) + is_right
            count += 1
    assert count == 5276
    assert {model: round(100 * hits / 1319, 2) for model, hits in right.items()} == {
        "6b_finetuning": 21.68, "6b_verification": 39.04, "175b_finetuning": 34.72, "175b_verification": 56.25,
    }  # fmt: skip


@pytest.mark.data
def test_gsm8k_reads_every_gold_solution(data_dir: Path) -> None:
    lines = (data_dir / "gsm8k" / "grade_school_math" / "data" / "test.jsonl").read_text().splitlines()
    assert len(lines) == 1319
    for row in map(json.loads, lines):
        case = a_case(answers=[row["answer"]])
        assert the_value('gsm8k(mode="strict")', case, row["answer"]) == 1.0
