from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.slots import check_slots, fill, literal, slots_of


def test_slots_come_once_each_in_the_order_of_their_first_place() -> None:
    assert slots_of("{b} {a} {b} {{c}} {level 1.x}") == ("b", "a", "level 1.x")


def test_doubled_braces_are_literal() -> None:
    assert fill('{{"choices": ["{x}"]}} }}{{', {"x": "A"}) == '{"choices": ["A"]} }{'


@given(st.dictionaries(st.sampled_from(["question", "context", "answer"]), st.text(), min_size=3))
def test_braces_within_data_never_expand(values: dict[str, str]) -> None:
    values["question"] += "{context}{{answer}}{nothing}"

    filled = fill("<{question}|{context}|{answer}>", values)

    assert filled == f"<{values['question']}|{values['context']}|{values['answer']}>"


@given(st.text())
def test_any_text_can_be_written_literally(text: str) -> None:
    assert fill(literal(text), {}) == text


def test_an_unknown_slot_is_named_with_the_nearest_and_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match=r"'contxt'; did you mean 'context'\? known: context, question$"):
        check_slots("{question} {contxt}", ["question", "context"])


def test_a_slot_without_a_value_is_an_error_and_no_literal_text() -> None:
    with pytest.raises(InvalidInputError, match=r"'foo'.*known: question"):
        fill("{foo}", {"question": "x"})


@pytest.mark.parametrize("template", ["a\n{b", "a\n}", "\n{}", '\n{"choices": 1}', "\n\\boxed{}", "\n{ x}"])
def test_a_brace_that_is_no_slot_is_named_with_its_line_and_the_way_to_write_it(template: str) -> None:
    with pytest.raises(InvalidInputError, match=r"in line 2 of the template.*\{\{ and \}\}"):
        slots_of(template)
