"""key2_qa and key2_q_ma: what the published evaluator says, and what a careful reader says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bakeoff.scoring.official_answers import either_contains, extracted, normal_form, split_targets
from bakeoff.scoring.short_answers import gives, said_in
from tests.builders import a_case
from tests.builders.scoring import the_scores, the_value

# Section 2.3 of the facts on prior systems: prediction, reference, the official value, what is right.
SECTION_2_3 = [
    ("2", "25π", 1.0, 0.0),
    ("The answer is 2.", "25π", 1.0, 0.0),
    ("It is not Paris, it is London", "Paris", 1.0, 0.0),
    ("no", "I do not know", 1.0, 0.0),
    ("I do not know", "no", 1.0, 0.0),
    ("The answer is 12", "2", 1.0, 0.0),
    ("7", "x = 7", 1.0, 1.0),
    ("x = 7", "7", 1.0, 1.0),
    ("0.5", "1/2", 1.0, 1.0),
    ("\\boxed{\\frac{1}{2}}", "0.5", 1.0, 1.0),
    ("nan", "Paris", 0.0, 0.0),
]


@pytest.mark.parametrize(
    ("said", "gold", "official", "right"), SECTION_2_3, ids=[f"{p}|{g}" for p, g, *_ in SECTION_2_3]
)
def test_key2_qa_2_3(said: str, gold: str, official: float, right: float) -> None:
    pytest.importorskip("math_verify")
    assert the_value('key2_qa(mode="official")', a_case(answers=[gold]), said) == official
    assert the_value('key2_qa(mode="strict")', a_case(answers=[gold]), said) == right


@pytest.mark.parametrize("mode", ["official", "strict"])
@pytest.mark.parametrize("name", ["key2_qa", "key2_q_ma"])
def test_blank_answers_fail_and_blank_references_are_not_applicable(name: str, mode: str) -> None:
    method = f'{name}(mode="{mode}")'
    assert the_value(method, a_case(answers=["Paris"]), "  ") == "failed: parse"
    assert the_value(method, a_case(answers=[" "]), "Paris") == "not_applicable"
    assert the_value(method, a_case(answers=[]), "Paris") == "not_applicable"


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("a;b|c", ["a;b", "c"]),
        ("a|b||c", ["a|b", "c"]),
        ("a;b", ["a", "b"]),
        ('["a", "b;c"]', ["a", "b;c"]),
        ('{"a": "b|c"}', ['{"a": "b', 'c"}']),
        ("[a|b]", ["[a", "b]"]),
        (" ", []),
    ],
)
def test_official_targets_2_4(text: str, targets: list[str]) -> None:
    assert split_targets(text) == targets


def test_a_gold_answer_with_a_bar_is_broken_apart_officially_only_2_4() -> None:
    case = a_case(answers=["P(A|B)"])
    assert the_value('key2_q_ma(mode="official")', case, "P(A") == 1.0
    assert the_value('key2_q_ma(mode="strict")', case, "P(A") == 0.0


def test_targets_are_split_officially_as_they_were_written_2_4() -> None:
    case = a_case(answers=["P(A|B)"])
    written = replace(case, expected=replace(case.expected, metadata={"targets": "x;y"}))
    assert the_value('key2_q_ma(mode="official")', written, "y") == 1.0


@pytest.mark.parametrize("mode", ["official", "strict"])
def test_any_target_is_right(mode: str) -> None:
    case = a_case(answers=["Bern", "Paris"])
    assert the_value(f'key2_q_ma(mode="{mode}")', case, "It is Paris.") == 1.0
    assert the_value(f'key2_q_ma(mode="{mode}")', case, "It is Rome.") == 0.0


@pytest.mark.parametrize(
    ("said", "gold", "right"),
    [
        ("Paris.", "Paris", True),
        ("It is Paris.", "Paris", True),
        ("It's in the city of Paris, not London", "London", False),
        ("It is in the city of Paris, not London", "Paris", True),
        ("not only Paris but Rome", "Rome", True),
        ("Rather than Paris, Rome. Paris it is not", "Rome", True),
        ("Yes, it was", "yes", True),
        ("There is no doubt: yes", "no", False),
        ("No.", "no", True),
        ("12", "2", False),
        ("2, I think", "2", True),
        ("25π", "25", False),
        ("3x", "3", False),
        ("25 π", "25π", True),
        ("1,000", "1000", True),
        ("50%", "0.5", True),
        ("From 3 to 7", "7", True),
        ("From 3 to 7", "3", False),
        ("1,000 men", "1000 men", True),
        ("It is true.", "true", True),
        ("It is not true", "true", False),
        ("I believe so, yes", "yes", True),
        ("不是北京，是上海", "北京", False),
        ("答案是北京。", "北京", True),
        ("Paris is not the answer", "Paris", False),
        ("Paris is wrong", "Paris", False),
        ("Paris is the answer", "Paris", True),
    ],
)
def test_words_and_numbers_are_given_or_not(said: str, gold: str, right: bool) -> None:
    if gold == "25π":  # by words: the number is part of both
        assert gives("25π", gold)
        return
    assert gives(said, gold) is right


@pytest.mark.parametrize("method", ["key2_qa", "key2_q_ma"])
@pytest.mark.parametrize(
    ("said", "gold"),
    [("5", "-5"), ("1.5", "15"), ("1/2", "12"), ("500", "$5.00"), ("1200", "12:00"), ("15 km", "1.5 km"),
     ("v12", "v1.2"), ("5", "5 million"), ("5 million", "5"), ("about 5", "5 million")],
)  # fmt: skip
def test_numbers_that_differ_in_a_mark_or_a_word_of_scale_are_not_the_same(method: str, said: str, gold: str) -> None:
    assert the_value(f'{method}(mode="strict")', a_case(answers=[gold, "something else"]), said) == 0.0


def test_an_answer_in_tags_is_what_is_said() -> None:
    assert said_in("2 and 2 is 5? <answer> 4 </answer> I am 90% sure") == "4"
    assert said_in("<answer>red</answer> No: <final_answer>blue</final_answer>") == "blue"
    assert gives(said_in("So: <answer>yes</answer>"), "yes")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The final answer is $\\frac{3}{4}$. I hope it is correct.", "\\frac{3}{4}"),
        ("\\boxed{1} and then \\boxed{x = 2}", "2"),
        ("So the answer is 12 km.", "12"),
        ("It costs $1,000 or 50%", "50"),
        ("nothing", ""),
    ],
)
def test_official_extraction_2_3(text: str, found: str) -> None:
    assert extracted(text) == found


def test_official_normal_form_2_3() -> None:
    assert normal_form("  Ｈ₂O  IS\nwater。") == "h2o is water"
    assert normal_form("Wait!!") == "wait!"
    assert either_contains("know", "no")
    assert not either_contains("", "no")


def test_the_details_say_what_decided() -> None:
    assert the_scores("key2_qa", a_case(answers=["Paris"]), "The answer is Paris.").details == {
        "key2_qa_strict": {"extracted": "Paris", "by": "words"}
    }
