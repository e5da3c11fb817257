"""The scoring of choices: accuracy, sets, and the two evaluation types in both modes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.scoring.official_choices import choice_set, first_choice, label_index, label_set
from bakeoff.scoring.set_figures import set_figures
from tests.builders.scoring import a_choice_case, the_scores, the_value

NAN = "nan"


@pytest.mark.parametrize(
    ("answer", "value"),
    [("B", 1.0), ("The answer is Paris", 1.0), ("C", 0.0), ("A or B", "failed: parse"), ("", "failed: parse")],
)
def test_choice_accuracy(answer: str, value: float | str) -> None:
    assert the_value("choice_accuracy", a_choice_case(value=1), answer) == value


def test_choice_accuracy_tells_what_it_read() -> None:
    details = the_scores("choice_accuracy", a_choice_case(), "The answer is B").details
    assert details == {"choice_accuracy": {"extracted": "B", "by": "statement"}}
    failure = the_scores("choice_accuracy", a_choice_case(), "A or B").scores[0].failure
    assert failure is not None
    assert failure.reason == "no choice in the answer 'A or B': it names no choice"


def test_row_c6_numeric_labels() -> None:
    case = a_choice_case(value=0, labels=["1", "2", "3", "4"])
    assert the_value("choice_accuracy", case, "1") == 1.0
    assert the_value("choice_accuracy", case, "2") == 0.0


@pytest.mark.parametrize("value", [4, -1, [0, 9]])
def test_a_right_choice_that_does_not_exist_is_a_failure_of_the_input(value: object) -> None:
    method = "choices_f1" if isinstance(value, list) else "choice_accuracy"
    assert the_value(method, a_choice_case(value=value), "A") == "failed: input"


@pytest.mark.parametrize(("method", "value"), [("choice_accuracy", [1]), ("choices_f1", 1), ("choice_accuracy", None)])
def test_the_other_kind_of_question_is_not_applicable(method: str, value: object) -> None:
    assert the_value(method, a_choice_case(value=value), "A") == "not_applicable"


@pytest.mark.parametrize(
    ("answer", "right", "f1", "jaccard", "exact"),
    [
        ('{"choices": ["A","C"]}', [0, 2], 1.0, 1.0, 1.0),
        ("A, B", [0, 2], 0.5, 1 / 3, 0.0),
        ("B", [0, 2], 0.0, 0.0, 0.0),
        ('{"choices": []}', [], 1.0, 1.0, 1.0),
        ('{"choices": []}', [0], 0.0, 0.0, 0.0),
        ("A, B, C, D", [0], 0.4, 0.25, 0.0),
    ],
)
def test_choices_f1(answer: str, right: list[int], f1: float, jaccard: float, exact: float) -> None:
    scores = the_scores("choices_f1", a_choice_case(value=right), answer).scores
    assert [score.value for score in scores] == [pytest.approx(f1), pytest.approx(jaccard), exact]


def test_two_empty_sets_are_the_same_but_by_convention_may_have_no_f1() -> None:
    assert set_figures(set(), set()).f1 == 1.0
    by_convention = set_figures(set(), set(), empty=0.0)
    assert (by_convention.f1, by_convention.exact) == (0.0, 1.0)


# Section 2.5 of the facts on prior systems; the prediction, what the official parser takes, and what was meant.
SECTION_2_5 = [
    ("B", 1, 1),
    ("\\boxed{C}", 2, 2),
    ("Answer: (D)", 3, 3),
    ("I think B", None, 1),
    ("I'd say C", None, 2),
    ("a good answer is C", 0, 2),
    ("2", 2, None),
    ("4", 3, None),
    ("", None, None),
    (NAN, None, None),
]


@pytest.mark.parametrize(("text", "taken", "meant"), SECTION_2_5, ids=[row[0] or "blank" for row in SECTION_2_5])
def test_key3_q_choices_a_in_both_modes_2_5(text: str, taken: int | None, meant: int | None) -> None:
    assert first_choice(text, 4) == taken
    for mode, row in (("official", taken), ("strict", meant)):
        for right in range(4):
            value = the_value(f'key3_q_choices_a(mode="{mode}")', a_choice_case(value=right), text)
            assert value == ("failed: parse" if row is None else float(row == right))


@pytest.mark.parametrize(
    ("label", "row"),
    [(0, 0), (3, 3), (4, 3), (5, None), (True, 1), ("B", 1), ("d", 3), ("2", 2), ("4", 3), ("E", None), ("Paris", None),
     (1.0, None), ("1.0", None), (None, None)],
)  # fmt: skip
def test_official_labels_2_5(label: object, row: int | None) -> None:
    assert label_index(label, 4) == row
    if row is None:
        assert the_value('key3_q_choices_a(mode="official")', a_choice_case(value=label), "A") == "failed: input"


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ('{"choices": ["A","C"]}', {0, 2}),
        ('["A","C"]', {0, 2}),
        ("A, C", {0, 2}),
        ("I choose A and C", {0, 2}),  # I is the ninth letter, and so none of four
        ("AC", None),
        ("Choose a correct: B", {0, 1}),
        ("1,3", {1, 3}),
        ("[1, 3]", {1, 3}),
        ("red, blue", None),
        ("", None),
    ],
)
def test_official_sets_2_6(text: str, taken: set[int] | None) -> None:
    assert choice_set(text, 4) == taken


@pytest.mark.parametrize(
    ("labels", "rows"),
    [([0, 2], {0, 2}), (["A", "C"], {0, 2}), ("A,C", {0, 2}), ("A;C", {0, 2}), ("A/C", {0, 2}), ("A|C", {0, 2}),
     ("A C", {0, 2}), (["A", "purple"], {0}), (None, None), ([], set())],
)  # fmt: skip
def test_official_label_sets_2_6(labels: object, rows: set[int] | None) -> None:
    assert label_set(labels, 4) == rows


@pytest.mark.parametrize(
    ("mode", "text", "values"),
    [
        ("official", "1,3", (0.0, 0.0, 0.0)),  # counted from 0, though it was meant from 1
        ("official", "Choose a correct: A", (2 / 3, 0.5, 0.0)),
        ("official", '{"choices": ["A","C"]}', (1.0, 1.0, 1.0)),
        ("strict", "AC", (1.0, 1.0, 1.0)),
        ("strict", "London and Rome", (1.0, 1.0, 1.0)),
        ("strict", "Choose a correct: A", (2 / 3, 0.5, 0.0)),
    ],
)
def test_key3_q_choices_as(mode: str, text: str, values: tuple[float, float, float]) -> None:
    scores = the_scores(f'key3_q_choices_as(mode="{mode}")', a_choice_case(value=[0, 2]), text).scores
    assert [score.value for score in scores] == [pytest.approx(value) for value in values]


def test_empty_sets_officially_have_no_f1_but_are_equal_2_6() -> None:
    for mode, f1 in (("official", 0.0), ("strict", 1.0)):
        scores = the_scores(f'key3_q_choices_as(mode="{mode}")', a_choice_case(value=[]), "[]").scores
        assert [score.value for score in scores] == [f1, f1, 1.0]


@pytest.mark.parametrize("mode", ["official", "strict"])
def test_what_cannot_be_parsed_fails_2_6(mode: str) -> None:
    text = "AC" if mode == "official" else "1,3"
    assert the_value(f'key3_q_choices_as(mode="{mode}")', a_choice_case(value=[0, 2]), text) == "failed: parse"


def test_officially_a_label_counts_as_it_was_written() -> None:
    case = a_choice_case(value=0)
    written = replace(case, expected=replace(case.expected, metadata={"label": "1"}))  # the adapter counted from 1
    assert the_value('key3_q_choices_a(mode="official")', written, "B") == 1.0
    assert the_value('key3_q_choices_a(mode="strict")', written, "B") == 0.0
