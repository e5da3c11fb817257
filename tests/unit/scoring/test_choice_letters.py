"""The letters that published harnesses read, with what they get wrong, and what a careful reader reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from bakeoff.scoring.evaluators.choice_letter import RULES
from bakeoff.scoring.official_letters import cmmlu_choice, first_capital, first_option, last_option, lm_eval_choice
from tests.builders.scoring import a_choice_case, the_scores, the_value

# Section 3.4 of the facts on prior systems; first_option without and with its cushion, first capital, last option.
SECTION_3_4 = [
    ("B", None, "B", "B", "B"),
    ("The answer is C", "C", "C", "T", "C"),
    ("只有选项C是对的", None, "C", "C", "C"),
    ("**Answer:** **C**", None, "A", "A", "C"),
    ("\\boxed{D}", None, "D", "D", "D"),
    ("(A) no, (B) yes", None, "A", "A", "B"),
    ("I would choose option B because", None, "B", "I", "B"),
    ("To solve:\n1. Add A\n", "A", "A", "T", "A"),
    ("Let me think. A is wrong. So the correct answer is B.", "B", "B", "L", "B"),
    ("", None, None, None, None),
]


@pytest.mark.parametrize(("text", "bare", "cushioned", "capital", "last"), SECTION_3_4)
def test_letters_of_section_3_4(
    text: str, bare: str | None, cushioned: str | None, capital: str | None, last: str | None
) -> None:
    assert first_option(text, "ABCD", cushion=False) == bare
    assert first_option(text, "ABCD") == cushioned
    assert first_capital(text, "ABCD") == capital
    assert last_option(text, "ABCD") == last


def test_row_c1_officially_a_word_behind_answer_is_a_label() -> None:
    said = "Answer: Let's think step by step. It must float. The answer is (B)."
    case = a_choice_case([f"thing {row}" for row in range(16)], 1)
    assert first_option(said, "ABCDEFGHIJKLMNOP") == "L"
    assert the_value("choice_letter", case, said) == 0.0
    assert the_value("choice_accuracy", case, said) == 1.0


@pytest.mark.parametrize(("said", "official"), [("The answer is b", "T"), ("I think B", "I")])
def test_row_c3_officially_the_first_capital_counts_whatever_it_begins(said: str, official: str) -> None:
    method = 'choice_letter(rule="first_capital")'
    assert first_capital(said, "ABCD") == official
    assert the_value(method, a_choice_case(value=1), said) == 0.0
    assert the_value("choice_accuracy", a_choice_case(value=1), said) == 1.0


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        ("答案：B", "B"),
        ("答案是 C。", "C"),
        ("答案选项为D", "D"),
        ("答案应选A", "A"),
        ("故选A只有选项B是对", "A"),  # the only way to the two patterns that a comma is missing between
        ("说法错误的是A", "A"),
        ("所以 C", "C"),
        ("综上，因此D。", "D"),
        ("answer: a", None),  # the letter is found, but it is no label
        ("ANSWER : C", "C"),
        ("The answer is: (B)", "B"),
        ("the answer is **D**", "D"),
        ("The correct answer is option (C)", "C"),
        ("The correct answer option is: $\\boxed{B}$", "B"),
        ("1. Paris", None),
        ("选项 B 正确", "B"),
        ("D 选项", "D"),
    ],
)
def test_first_option_goes_by_its_patterns(said: str, letter: str | None) -> None:
    assert first_option(said, "ABCD", cushion=False) == letter


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        ("A。因为……", "A"),
        ("答案是：B", "B"),
        ("答案为选项 C", "C"),
        ("故选：D", "D"),
        ("B选项是正确的，因为", "B"),
        ("正确选项是B", "B"),
        ("选项 C 正确", "C"),
        ("本题答案：D", "D"),
        ("B符合题意", "B"),
        ("答案为以下的C", "C"),
        ("选A不对，故B当选", "A"),  # a phrase goes before a verdict
        ("虽A不对，B当选", "B"),
        ("其中A项错误。B项说法正确", "B"),
        ("应该是 C", "C"),
        ("不是 C，也不是 D", None),
        ("我认为C最好", "C"),
        ("C或者D", "C"),  # begins with it
        ("可能C或者D", None),  # where the authors draw one at random
        ("", None),
    ],
)
def test_cmmlu_goes_by_its_authors_phrases(said: str, letter: str | None) -> None:
    assert cmmlu_choice(said, "ABCD") == letter


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        (" B", "B"),
        ("(b)", "B"),
        ("**B**", "B"),
        ("Answer: C", "C"),
        ("The answer is D.", "D"),
        ("I choose option C", "C"),
        ("B. Paris", None),
        ("I think B", None),
        ("\nB", None),  # what stands behind the first line is not read
        ("B\nbecause", "B"),
    ],
)
def test_lm_eval_reads_the_end_of_the_first_line(said: str, letter: str | None) -> None:
    assert lm_eval_choice(said, "ABCD") == letter


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_its_own_metric_and_tells_what_it_read(rule: str) -> None:
    found = the_scores(f'choice_letter(rule="{rule}")', a_choice_case(value=1), "B")
    assert found.scores[0].metric == f"choice_{rule}_official"
    assert found.scores[0].value == 1.0
    assert found.details == {f"choice_{rule}_official": {"extracted": "B"}}
    assert the_value(f'choice_letter(rule="{rule}")', a_choice_case(value=2), "B") == 0.0


@pytest.mark.parametrize("rule", RULES)
def test_no_letter_is_a_parse_failure_which_counts_as_wrong(rule: str) -> None:
    assert the_value(f'choice_letter(rule="{rule}")', a_choice_case(), "42") == "failed: parse"


def test_row_c6_numbers_may_be_the_labels() -> None:
    case = a_choice_case(value=1, labels=["1", "2", "3", "4"])
    assert the_value('choice_letter(rule="lm_eval")', case, "The answer is 2") == 1.0


def test_labels_of_several_characters_are_a_failure_of_the_input() -> None:
    assert the_value("choice_letter", a_choice_case(labels=["i", "ii", "iii", "iv"]), "i") == "failed: input"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("read", RULES.values(), ids=list(RULES))
@pytest.mark.parametrize(
    "text",
    [
        "The correct answer is boxed{ " * 20_000,
        "答案为" * 30_000,
        "A" * 100_000,
        "A当" * 50_000 + "选",
        "answer" + " " * 100_000 + "x",
        "1" * 100_000,
        "(" * 100_000,
    ],
)
def test_what_a_model_repeats_without_end_is_read_quickly(
    read: Callable[[str, Sequence[str]], str | None], text: str
) -> None:
    read(text, "ABCD")
