from __future__ import annotations

import numpy as np
import pytest

from bakeoff.inference.prompting.choices import Choices, normalise_choices

AS_BEFORE: list[tuple[object, tuple[str, ...]]] = [
    (["x", "y"], ("x", "y")),
    ([1, 2.5, None], ("1", "2.5", "None")),
    ('["x", 1]', ("x", "1")),
]
UNDERSTOOD: list[tuple[object, tuple[str, ...]]] = [
    (("x", "y"), ("x", "y")),
    (np.array(["x", "y"]), ("x", "y")),
    ({"A": "x", "B": "y"}, ("x", "y")),
    ({"B": "y", "A": "x"}, ("x", "y")),
    ({"2": "y", "1": "x"}, ("x", "y")),
    ({0: "x", 1: "y"}, ("x", "y")),
    ({"second": "y", "first": "x"}, ("y", "x")),
    ('{"A": "x", "B": "y"}', ("x", "y")),
    ({"text": np.array(["x", "y"]), "label": np.array(["1", "2"])}, ("x", "y")),
    ([{"label": "A", "text": "x"}, {"label": "B", "text": "y"}], ("x", "y")),
]
INVALID: list[object] = [None, float("nan"), "", "a|b", "['x', 'y']", '"x"', "3", 3, [], {}, "[]", object(), {"x", "y"}]


@pytest.mark.parametrize(("given", "texts"), AS_BEFORE + UNDERSTOOD)
def test_choices_are_taken_from_what_a_row_holds(given: object, texts: tuple[str, ...]) -> None:
    assert normalise_choices(given) == Choices(texts)


@pytest.mark.parametrize("given", INVALID)
def test_one_empty_choice_stands_in_for_what_holds_none_and_it_can_be_counted(given: object) -> None:
    assert normalise_choices(given) == Choices(("",), valid=False)
    assert normalise_choices(given).lettered == "A. "


def test_letters_run_from_a_to_z_and_then_numbers_from_26() -> None:
    lines = normalise_choices([str(number) for number in range(28)]).lettered.split("\n")

    assert lines[0] == "A. 0"
    assert lines[-3:] == ["Z. 25", "26. 26", "27. 27"]


def test_d11_every_choice_of_a_list_is_kept_and_one_less_is_seen() -> None:
    assert len(normalise_choices(["a", "b"]).texts) == 2
    assert len(normalise_choices(["ab"]).texts) == 1
