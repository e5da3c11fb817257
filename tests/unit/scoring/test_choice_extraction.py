"""What an answer takes, said in many ways; ambiguous answers take nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.prompting.choices import normalise_choices
from bakeoff.scoring.choice_extraction import extract_choice, extract_choices
from bakeoff.scoring.choices import Choices
from bakeoff.scoring.evaluators.numeric import answered_quantity
from bakeoff.scoring.short_answers import gives, said_in

CITIES = Choices.lettered(["London", "Paris", "New York", "York"])
FIVE = Choices.lettered(["red", "green", "blue", "grey", "black"])
SIXTEEN = Choices.lettered([f"thing {row}" for row in range(16)])
NUMBERED = Choices(("fifty", "sixty", "seventy", "eighty"), ("1", "2", "3", "4"))
FIGURES = Choices.lettered(["3", "4", "5", "6"])


def single(text: str, choices: Choices = CITIES) -> str | None:
    found = extract_choice(text, choices).chosen
    return None if found is None else choices.labels[found[0]]


def several(text: str, choices: Choices = FIVE) -> str | None:
    found = extract_choices(text, choices).chosen
    return None if found is None else "".join(choices.labels[row] for row in found)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("B", "B"),
        ("b", "B"),
        (" (B) ", "B"),
        ("B.", "B"),
        ("（Ｂ）", "B"),
        ("Paris", "B"),
        ("paris.", "B"),
        ("B. Paris", "B"),
        ("B) Paris", "B"),
        ("(B) Paris", "B"),
        ("B: Paris", "B"),
        ("B - Paris", "B"),
        ("B because Paris is the capital", "B"),
        ("The answer is C", "C"),
        ("The answer is b", "B"),  # C3
        ("I think B", "B"),  # C3
        ("I'd say C", "C"),
        ("a good answer is C", "C"),
        ("A good answer is C.", "C"),
        ("정답: C", "C"),  # C5
        ("정답은 C입니다", "C"),
        ("答案：D", "D"),
        ("答案是D。", "D"),
        ("故答案为B", "B"),
        ("只有选项C是对的", "C"),
        ("选B", "B"),
        ("选项A错误，选项B正确。", "B"),
        ("La respuesta es B.", "B"),
        ("La réponse est : B", "B"),
        ("Die Antwort ist B", "B"),
        ("Ответ: B", "B"),
        ("答えはBです", "B"),
        ("**Answer:** **C**", "C"),
        ("**Answer: C**", "C"),
        ("Answer: (D)", "D"),
        ("Answer: [D]", "D"),
        ('Answer: "D"', "D"),
        ("\\boxed{D}", "D"),
        ("$\\boxed{\\text{D}}$", "D"),
        ("\\boxed{(D)}", "D"),
        ("\\boxed{Paris}", "B"),
        ("#### B", "B"),
        ('{"answer": "B"}', "B"),
        ('```json\n{"choices": ["B"]}\n```', "B"),
        ('{"reason": "A is far", "Answer": "B. Paris"}', "B"),
        ("I would choose option B because A is too far", "B"),
        ("I choose B.", "B"),
        ("I'll go with (B).", "B"),
        ("Option B is correct.", "B"),
        ("B is the correct answer, not A.", "B"),
        ("So B.", "B"),
        ("It's B!", "B"),
        ("Definitely B", "B"),
        ("My choice would be **B**.", "B"),
        ("**B. Paris**\n\nIt has been the capital for long.", "B"),
        ("Let me think. A is wrong. So the correct answer is B.", "B"),
        ("The answer is A. Wait, no: the answer is B.", "B"),
        ("The answer is \\boxed{A}. On second thought, the answer is B.", "B"),
        ("A is too far. B is it, I think.\n\nAnswer: B, which is the capital", "B"),
        ("So the answer is definitely C.\n\nAnswer: C", "C"),
        ("The answer is Paris.", "B"),
        ("The answer is New York.", "C"),
        ("It is Paris, of course.", "B"),
        ("It is not London; it is Paris.", "B"),
        ("The answer is not A. The answer is B", "B"),
        ("<think>Maybe A. The answer is A.</think>B", "B"),
        ("The correct option is: B", "B"),
        ("Answer: A", "A"),
        ("The answer is A because it is large", "A"),
        ("The answer is A London", "A"),
        ("Final answer is C", "C"),
        ("The answer:\nB", "B"),
        ("the answer is option (b)", "B"),
        ("Option B", "B"),
        ("Ans: B", "B"),
        ("【答案】B", "B"),
        ("答案选B", "B"),
        ("The correct answer is **B) Paris**.", "B"),
        ("Therefore, the correct answer is:\n\n(B) Paris", "B"),
        ("\\boxed{\\textbf{(B)}}", "B"),
        ("B) Paris\n\nExplanation: London is incorrect because it is not in France.", "B"),
        ("B\n\nExplanation:\nA. London is far\nB. Paris is right\nC. New York is farther", "B"),
        ("The answer is definitely not B; it's C", "C"),
        ("I don't think B is good. I think C", "C"),
        ("B\n\nQuestion: What is next?\nA. this\nB. that\nAnswer: A", "B"),
        ("Sure!\nQuestion: Which is it?\nAnswer: B", "B"),
    ],
)
def test_a_choice_is_found(text: str, label: str) -> None:
    assert single(text) == label


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "I",
        "I do not know",
        "I would rather not say",
        "a",
        "A city in France, I would think",
        "E",
        "Let us see.",
        "(A) no, (B) yes",
        "A. London\nB. Paris",
        "A or B",
        "The answer is A or B",
        "The answer is both A and B",
        "Answer: A, B",
        "**A** or **B**?",
        "To solve:\n1. Add A\n",
        "It could be London or Paris",
        "The answer is not A",
        "Not London",
        "The answer is a city in France",
        "What is the answer?",
        "2",
        "The options are A, B, C and D.",
        "vitamin B12",
        "{}",
        "[",
    ],
)
def test_nothing_is_guessed(text: str) -> None:
    # A bare "a" may be the label or the first word of a sentence that broke off: as a whole answer it is the label.
    expected = "A" if text == "a" else None
    assert single(text) == expected


def test_row_c1_a_word_behind_answer_is_no_label() -> None:
    text = "Answer: Let's think step by step. I is not it, and L is too long. The answer is (B)."
    assert single(text, SIXTEEN) == "B"


def test_i_is_a_label_only_where_it_stands_as_one() -> None:
    assert single("I would choose I.", SIXTEEN) == "I"
    assert single("Answer: I", SIXTEEN) == "I"
    assert single("I think that it is hard", SIXTEEN) is None


@pytest.mark.parametrize(
    ("text", "label"),
    [("2", "2"), ("The answer is 3.", "3"), ("(4)", "4"), ("Option 2 is correct", "2"), ("sixty", "2"), ("12", None),
     ("The answer is 2.5", None), ("B", None)],
)  # fmt: skip
def test_numeric_labels_c6(text: str, label: str | None) -> None:
    assert single(text, NUMBERED) == label


def test_a_number_is_the_text_of_a_choice_where_labels_are_letters() -> None:
    assert single("4", FIGURES) == "B"
    assert single("The answer is 6", FIGURES) == "D"
    assert single("The answer is 46", FIGURES) is None


def test_a_label_that_is_the_text_of_another_choice_is_ambiguous() -> None:
    swapped = Choices.lettered(["B", "A"])
    assert extract_choice("A", swapped).reason == "it names more than one choice"
    assert single("The answer is A", swapped) is None


def test_labels_may_be_case_sensitive() -> None:
    strict = Choices.lettered(["x", "y", "z"], case_sensitive=True)
    assert single("The answer is c.", strict) is None
    assert single("b", strict) is None
    assert single("The answer is C.", strict) == "C"


@pytest.mark.parametrize(
    ("text", "how"),
    [("B", "whole"), ("\\boxed{B}", "boxed"), ('{"answer": "B"}', "json"), ("The answer is B", "statement"),
     ("A? No: <answer>B</answer>, I am sure", "tag"),
     ("I choose B", "verb"), ("**B**, as I said", "bold"), ("B. Paris is big", "line"), ("It is Paris", "text")],
)  # fmt: skip
def test_how_it_was_told_is_kept(text: str, how: str) -> None:
    assert extract_choice(text, CITIES).by == how


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ('{"choices": ["A","C"]}', "AC"),
        ('```json\n{"choices": ["A", "C"]}\n```', "AC"),
        ('["A","C"]', "AC"),
        ('{"choices": []}', ""),
        ('{"choices": ["red", "blue"]}', "AC"),
        ("A, C", "AC"),
        ("A,C.", "AC"),
        ("A C", "AC"),
        ("AC", "AC"),
        ("A and C", "AC"),
        ("(A), (C)", "AC"),
        ("A、C", "AC"),
        ("C, A", "AC"),
        ("I choose A and C", "AC"),
        ("The answers are A, C and E.", "ACE"),
        ("The answer is AC.", "AC"),
        ("Answer: A, C, because green is not", "AC"),
        ("答案：AC", "AC"),
        ("정답: A, C", "AC"),
        ("\\boxed{A, C}", "AC"),
        ("Choose a correct: B", "B"),
        ("B", "B"),
        ("red, blue", "AC"),
        ("red and blue", "AC"),
        ("The answers are red and blue", "AC"),
        ("A. red\nC. blue", "AC"),
        ("- A\n- C", "AC"),
        ("Options A and C are correct.", "AC"),
        ("The answer is A. No, the answers are B and C.", "BC"),
        ("None of the above", ""),
        ("A, A, C", "AC"),
        ("B? Rather <answer>A, C</answer>", "AC"),
        ("Options A, C", "AC"),
        ("A, C\n\nQuestion: And now?\nAnswer: B", "AC"),
    ],
)
def test_several_choices_are_found(text: str, labels: str) -> None:
    assert several(text) == labels


@pytest.mark.parametrize("text", ["", "CA", "BAD", "I do not know", "A or C", "The answer is A or C", "1,3", "FG",
                                  '{"choices": ["A", "purple"]}', '{"choices": ["A", "Z"]}'])  # fmt: skip
def test_nothing_is_guessed_of_several(text: str) -> None:
    assert several(text) is None


def test_choices_without_a_label_each_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="are not labels of 2 choices"):
        Choices.of(Case("c1", "?", metadata={"choices": ["x", "y"], "choice_labels": ["1"]}))
    with pytest.raises(InvalidInputError, match="must be a list of texts, not 'x'"):
        Choices.of(Case("c1", "?", metadata={"choices": "x"}))


def test_more_than_26_choices_go_on_with_the_numbers_under_which_prompts_show_them() -> None:
    texts = [f"thing {row}" for row in range(28)]
    shown = normalise_choices(texts).lettered.splitlines()
    assert [line.partition(".")[0] for line in shown] == list(Choices.lettered(texts).labels)
    assert Choices.lettered(texts).labels[-3:] == ("Z", "26", "27")
    assert single("The answer is 26", Choices.lettered(texts)) == "26"


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "answer" + " " * 100_000,
        "the answer is " * 20_000,
        "answer: " * 20_000,
        "\\boxed{" * 20_000,
        "[" * 100_000,
        '{"a":' * 30_000,
        "A , " * 30_000,
        "A and " * 30_000 + "x",
        " " * 200_000,
        "I choose " * 20_000,
        "**" * 50_000,
        "(A" * 30_000,
        "not Paris, " * 10_000,
        "- " * 50_000,
        "<answer>" * 30_000,
    ],
    ids=range(15),
)
def test_what_a_model_repeats_without_end_is_read_quickly(text: str) -> None:
    extract_choice(text, CITIES)
    extract_choices(text, FIVE)
    answered_quantity(text)
    gives(said_in(text), "Paris")


@pytest.mark.data
@pytest.mark.parametrize("form", ["{label}", "{label}. {text}", "The answer is ({label}).", "**{label}. {text}**",
                                  "A is not it, I believe. So the correct answer is {label}) {text}"])  # fmt: skip
def test_every_choice_of_arc_challenge_is_recognised(data_dir: Path, form: str) -> None:
    (file,) = (data_dir / "llm-foundry-icl").rglob("arc_challenge.jsonl")
    unclear = []
    for row in map(json.loads, file.read_text().splitlines()):
        choices = Choices.lettered(row["choices"])
        for place, (label, text) in enumerate(zip(choices.labels, choices.texts, strict=True)):
            found = extract_choice(form.format(label=label, text=text), choices).chosen
            assert found in (None, (place,)), (form, row["choices"])
            unclear += [row["choices"]] if found is None else []
    # One question has C, the element, for choice A: whether C is the label or the text cannot be told.
    assert unclear in ([], [["C", "NO_{2}", "O_{2}", "CO"]])
