"""Choices, labels, targets and contexts, in all the forms in which people write them."""

from __future__ import annotations

import pytest

from bakeoff.preparation.row import NumberText
from bakeoff.preparation.row_cases import read_contexts, read_targets
from bakeoff.preparation.row_choices import Choices, label_index, label_indexes, read_choices

FOUR = Choices(("red", "green", "blue", "black"))


@pytest.mark.parametrize(
    "value",
    [
        ["x", "y"],
        ("x", "y"),
        '["x", "y"]',
        "['x', 'y']",
        "('x', 'y')",
        "['x' 'y']",
        "['x'\n 'y']",
        {"A": "x", "B": "y"},
        '{"A": "x", "B": "y"}',
        {"text": ["x", "y"], "label": ["A", "B"]},
        [{"text": "x", "label": "A"}, {"text": "y", "label": "B"}],
    ],
    ids=str,
)
def test_choices_are_understood_however_they_are_written(value: object) -> None:
    choices = read_choices(value)
    assert choices is not None
    assert choices.texts == ("x", "y")
    assert label_index("B", choices) == 1


@pytest.mark.parametrize("value", [None, "", "a|b", "x", 5, [], "[]", '["a"', "[a b]", {}], ids=str)
def test_what_holds_no_choices_is_told(value: object) -> None:
    assert read_choices(value) is None


def test_an_absent_choice_keeps_its_place() -> None:
    assert read_choices(["x", None, "y"]) == Choices(("x", "", "y"))


@pytest.mark.parametrize(
    ("label", "index"),
    [
        ("B", 1), ("b", 1), ("(B)", 1), ("B.", 1), (2, 2), ("2", 2), (NumberText("2.0"), 2), (True, 1), (False, 0),
        ("blue", 2), ("Blue ", 2),
    ],
)  # fmt: skip
def test_a_label_may_be_a_letter_a_number_from_0_or_a_text(label: object, index: int) -> None:
    assert label_index(label, FOUR) == index


@pytest.mark.parametrize("label", ["E", "-1", -1, "violet", "", "AB", NumberText("1.5")])
def test_a_label_outside_of_the_choices_is_refused_with_what_is_allowed(label: object) -> None:
    with pytest.raises(ValueError, match="is none of the 4 choices; allowed: A to D, 0 to 3, the text of a choice"):
        label_index(label, FOUR)


def test_a_label_that_counts_from_1_is_refused_with_the_way_out() -> None:
    with pytest.raises(ValueError, match=r'4 is none of the 4 choices.* set label_base="1"'):
        label_index(4, FOUR)
    assert label_index(4, FOUR, "1") == 3


def test_a_label_that_may_mean_two_choices_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'2' may mean choice 1 or 2 \(from 0\)"):
        label_index("2", Choices(("1", "2", "3")))
    assert label_index("2", Choices(("1", "2", "3")), "text") == 1


def test_c6_a_numeric_key_is_looked_up_among_the_labels_of_the_row() -> None:
    choices = read_choices({"text": ["v", "w", "x", "y"], "label": ["1", "2", "3", "4"]})
    assert choices is not None
    assert label_index("1", choices) == 0


@pytest.mark.parametrize(
    "labels",
    [[0, 2], ["A", "C"], ["C", "A", "A"], '["A", "C"]', "[0, 2]", "A,C", "A; C", "C/A", "a c", "0|2", ["red", "blue"]],
    ids=str,
)
def test_several_labels_are_understood_however_they_are_written(labels: object) -> None:
    assert label_indexes(labels, FOUR) == [0, 2]


@pytest.mark.parametrize("labels", ["AC", ["A", "Z"], "A, nonsense"])
def test_none_of_several_labels_is_dropped(labels: object) -> None:
    with pytest.raises(ValueError, match="is none of the 4 choices"):
        label_indexes(labels, FOUR)


def test_no_label_at_all_may_be_right() -> None:
    assert label_indexes([], FOUR) == []


@pytest.mark.parametrize(
    ("value", "contexts"),
    [
        (None, []),
        ("", []),
        ("  ", []),
        ([], []),
        ([None, " "], []),
        (" a ", ["a"]),
        (["c1", None, " ", "c2"], ["c1", "c2"]),
        ('["a","b"]', ["a", "b"]),
        ("('a', 'b')", ["a", "b"]),
        ("[1] Smith writes", ["[1] Smith writes"]),
        ("[1]", ["[1]"]),
        ({"a": 1}, ["a: 1"]),
        (5, ["5"]),
    ],
    ids=str,
)
def test_contexts_become_passages(value: object, contexts: list[str]) -> None:
    assert read_contexts(value) == contexts


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        (["a", "", "b", None, "a"], ("a", "b")),
        ('["a", "b"]', ("a", "b")),
        ("a;b|c", ("a;b", "c")),
        ("a||b|c", ("a", "b|c")),
        ("a;b", ("a", "b")),
        ("a", ("a",)),
        ("(1, 2)", ("(1, 2)",)),
        ("('a', 'b')", ("a", "b")),
        (7, ("7",)),
        (None, ()),
        ("[]", ()),
    ],
    ids=str,
)
def test_targets_are_split_at_the_first_separator_that_occurs(value: object, targets: tuple[str, ...]) -> None:
    assert read_targets(value) == targets


def test_targets_with_separators_in_them_stay_whole_when_that_is_said() -> None:
    assert read_targets("a;b|c", "") == ("a;b|c",)
    assert read_targets("a;b|c", ";") == ("a", "b|c")
