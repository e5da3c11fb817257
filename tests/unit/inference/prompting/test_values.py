from __future__ import annotations

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.prompting.answers import gold_answer
from bakeoff.inference.prompting.values import Material, columns_of, slot_values

CASE = Case(
    "c1",
    "  def f():\n",
    Expected(("blue",), value=1),
    {"subject": "colours", "level": "label"},
    {"choices": ["red", "blue"], "level": 3, "flag": True, "none": None, "list": ["é"], "question": "another"},
)


def values(*names: str, case: Case = CASE) -> dict[str, str]:
    return slot_values(Material(case, gold_answer(case)), names)


def test_a_question_is_verbatim_unless_trimming_is_asked_for_d12() -> None:
    assert values("question", "question_trimmed") == {"question": "  def f():\n", "question_trimmed": "def f():"}


def test_columns_are_metadata_before_labels_and_the_letters_of_choices() -> None:
    found = values("level", "subject", "A", "B", "flag", "none", "list")

    assert found == {
        "level": "3", "subject": "colours", "A": "red", "B": "blue", "flag": "true", "none": "", "list": '["é"]',
    }  # fmt: skip


def test_answers_are_letters_texts_and_json() -> None:
    several = Case("s", "", Expected(("red", "green"), value=[0, 2]), metadata={"choices": ["red", "blue", "green"]})

    assert values("answer", "answer_text", "answer_letters") == {
        "answer": "B", "answer_text": "blue", "answer_letters": '["B"]',
    }  # fmt: skip
    assert values("answer", "answer_text", "answer_letters", case=several) == {
        "answer": "A, C", "answer_text": "red, green", "answer_letters": '["A","C"]',
    }  # fmt: skip


@pytest.mark.parametrize(
    ("case", "answer"),
    [
        (Case("a", "", Expected(("first", "second"))), "first"),
        (Case("a", "", Expected(value=42)), "42"),
        (Case("a", "", Expected(metadata={"better": "good", "rejected": "bad"})), "good"),
        (Case("a", "", Expected(("y",)), metadata={"choices": ["x", "y"]}), "B"),
        (Case("a", "", Expected(("z",)), metadata={"choices": ["x", "y"]}), "z"),
        (Case("a", ""), ""),
    ],
)
def test_the_answer_of_a_case_of_any_kind(case: Case, answer: str) -> None:
    assert values("answer", case=case) == {"answer": answer}


def test_a_right_choice_that_does_not_exist_is_named_with_its_case_and_what_is_allowed() -> None:
    with pytest.raises(InvalidInputError, match=r"case 'bad'.*choice 4.*0 to 1 are allowed"):
        gold_answer(Case("bad", "", Expected(value=4), metadata={"choices": ["x", "y"]}))


def test_a_column_that_a_case_lacks_is_named_with_the_case_and_what_it_has() -> None:
    with pytest.raises(InvalidInputError, match=r"case 'c1': nothing fills the slot 'C'.*known: A, B, answer"):
        values("C")


def test_only_columns_that_every_case_has_can_be_relied_on() -> None:
    other = Case("c2", "", labels={"subject": "x"}, metadata={"choices": ["only"]})

    assert columns_of([CASE, other]) == {"subject", "choices", "A"}
    assert columns_of([]) == frozenset()
