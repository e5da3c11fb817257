from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.errors import NotFoundError
from bakeoff.inference.prompting.eval_types import EvalType, built_in_template
from bakeoff.inference.prompting.library import built_in_names, load_template
from bakeoff.inference.prompting.rendering import render
from tests.builders import a_passage

CASE = Case("1", " Q? ", metadata={"contexts": ["c1", None, " ", "c2"], "choices": ["x", "y"]})
QA = "Context:\nc1\nc2\n\nQuestion:\nQ?\n\nAnswer:"
SINGLE = (
    "Context:\nc1\nc2\n\nQuestion:\nQ?\n\nChoices:\nA. x\nB. y\n\n"
    "Choose exactly one option. Output only the option letter (e.g., A).\nAnswer:"
)
MULTIPLE = (
    "Context:\nc1\nc2\n\nQuestion:\nQ?\n\nChoices:\nA. x\nB. y\n\n"
    'This is a multi-select question. Output JSON only, format: {"choices": ["A","C"]}.\nAnswer:'
)


@pytest.mark.parametrize(
    ("eval_type", "prompt"),
    [
        ("key2_qa", QA),
        ("key2_q_ma", QA),
        ("key3_q_a_rejected", QA),
        ("key3_q_choices_a", SINGLE),
        ("key3_q_choices_as", MULTIPLE),
    ],
)
def test_the_answer_generators_prompts_byte_for_byte(eval_type: str, prompt: str) -> None:
    assert render(load_template(built_in_template(eval_type)), CASE).text == prompt


@pytest.mark.parametrize("contexts", [None, "", [], [None, " "], float("nan")], ids=repr)
def test_without_a_context_its_block_is_left_out(contexts: object) -> None:
    case = replace(CASE, metadata={"contexts": contexts})

    assert render(load_template("question"), case).text == "Question:\nQ?\n\nAnswer:"


@pytest.mark.parametrize("metadata", [{"choices": "a|b"}, {"choices": []}, {"eval_type": "key3_q_choices_a"}], ids=repr)
def test_a_row_without_valid_choices_is_asked_with_one_empty_choice(metadata: dict[str, object]) -> None:
    prompt = render(load_template("single_choice"), Case("1", "Q?", metadata=metadata)).text

    assert "\n\nChoices:\nA. \n\nChoose exactly" in prompt


def test_braces_in_a_row_stay_what_they_are() -> None:
    case = Case("1", "{context} {choices_text} {{x}}", metadata={"contexts": ["{question}"]})

    prompt = render(load_template("question"), case).text

    assert prompt == "Context:\n{question}\n\nQuestion:\n{context} {choices_text} {{x}}\n\nAnswer:"


def test_examples_stand_before_the_question_with_their_answers_in_the_form_that_is_asked_for() -> None:
    single = Case("s", "S?", Expected(("n",), value=1), metadata={"choices": ["m", "n"]})
    several = Case("t", "T?", Expected(("m", "o"), value=[0, 2]), metadata={"choices": ["m", "n", "o"]})

    assert render(load_template("question"), CASE, examples=[Case("e", "E?", Expected(("yes",)))]).text == (
        "Question:\nE?\n\nAnswer: yes\n\n" + QA
    )
    assert "(e.g., A).\nAnswer: B\n\nContext:\n" in render(load_template("single_choice"), CASE, examples=[single]).text
    assert '\nAnswer: {"choices": ["A","C"]}\n\nContext:\n' in (
        render(load_template("multiple_choice"), CASE, examples=[several]).text
    )


def test_the_template_for_retrieval_has_numbered_passages_with_their_documents() -> None:
    passages = [a_passage("d1", text="One."), a_passage("d2", rank=2, text="Two. {question}")]

    assert render(load_template("retrieval"), Case("1", "Q?"), passages=passages).text == (
        "Answer the question briefly from the numbered passages.\n\n"
        "Passages:\n[1] (d1) One.\n\n[2] (d2) Two. {question}\n\nQuestion: Q?\nAnswer:"
    )


@pytest.mark.parametrize("name", built_in_names())
def test_every_built_in_template_takes_any_case_and_examples(name: str) -> None:
    load_template(name).check((), example_columns=())


def test_a_template_that_does_not_exist_is_named_with_the_built_in_ones(tmp_path: Path) -> None:
    with pytest.raises(
        NotFoundError, match=r"'qestion'.*built in: multiple_choice, question, retrieval, single_choice"
    ):
        load_template("qestion")


def test_every_evaluation_type_has_a_template() -> None:
    assert {built_in_template(kind) for kind in EvalType} <= set(built_in_names())
