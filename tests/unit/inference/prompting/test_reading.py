from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.inference.prompting.reading import read_template, template_of
from bakeoff.inference.prompting.rendering import render
from bakeoff.inference.prompting.values import columns_of


def written(folder: Path, text: str, name: str = "mine.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_text_file_is_a_plain_prompt_without_its_last_line_break(tmp_path: Path) -> None:
    found = read_template(written(tmp_path, "Q: {question}\nA:\n", "mine.txt"))

    assert found.name == "mine.txt"
    assert render(found, Case("1", "x")).text == "Q: x\nA:"


def test_the_digest_is_that_of_what_the_template_says(tmp_path: Path) -> None:
    one = read_template(written(tmp_path, "# why\nprompt_template: 'Q: {question}'\n", "a.yaml"))
    same = read_template(written(tmp_path, "Q: {question}\n", "b.txt"))
    other = read_template(written(tmp_path, "Q: {question} \n", "c.txt"))

    assert one.digest == same.digest != other.digest
    assert len(one.digest) == 64


@pytest.mark.parametrize(
    "change",
    [
        {"separator": "|"},
        {"fold_system": True},
        {"repeat_instruction": True},
        {"answer_columns": ["a"]},
        {"ice_template": "x {examples}"},
        {"prompt_template": "{examples}{question}"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_that_changes_a_prompt_changes_the_digest(change: dict[str, object]) -> None:
    content: dict[str, object] = {"ice_template": "Inst{examples}{question}={answer}"}

    assert template_of(content, "x").digest != template_of({**content, **change}, "x").digest


FAULTS = [
    ("[]", "", "must be a mapping with description"),
    ("{}", "", "must have an ice_template, a prompt_template, or both"),
    ("promt_template: x", "promt_template", "did you mean 'prompt_template'?"),
    ("prompt_template: 3", "prompt_template", "must be text or a list of parts, not 3"),
    ("prompt_template: {}", "prompt_template", "must not be an empty mapping"),
    ("prompt_template: 'a {b'", "prompt_template", "'{' in line 1 of the template is a lone brace"),
    ("prompt_template: [{txt: a}]", "prompt_template[0]", "must be text, or a mapping with text and when"),
    ("prompt_template: [{text: a, when: 3}]", "prompt_template[0].when", "must be the name of a slot"),
    ("prompt_template: {yes: a, no: b}", "prompt_template", "has the label True, which is no text; put it in quotes"),
    ("prompt_template: {begin: a}", "prompt_template.round", "is missing"),
    ("prompt_template: {round: a, ende: b}", "prompt_template.ende", "a dialogue has begin, round, end"),
    ("prompt_template: {round: [{role: USER}]}", "prompt_template.round[0].role", "HUMAN, BOT, SYSTEM, not 'USER'"),
    (
        "prompt_template: {round: [{role: BOT, promt: a}]}",
        "prompt_template.round[0].promt",
        "role, prompt, fallback_role",
    ),
    (
        "prompt_template: {round: [{role: SYSTEM, fallback_role: SYSTEM}]}",
        "prompt_template.round[0].fallback_role",
        "must be HUMAN or BOT",
    ),
    ("{prompt_template: a, ice_token: ''}", "ice_token", "must be text such as"),
    ("{prompt_template: a, ice_token: '{x}'}", "ice_token", "must have no braces"),
    ("{prompt_template: a, ice_token: </E>}", "prompt_template", "does not have the ice_token"),
    ("{prompt_template: {round: a}, ice_token: </E>}", "prompt_template", "does not have the ice_token"),
    ("{prompt_template: a, ice_template: b}", "prompt_template", "needs the ice_token or {examples}"),
    ("prompt_template: '{examples}{examples}'", "prompt_template", "once where the examples go, not 2 times"),
    ("prompt_template: {a: 'x{examples}', b: x}", "prompt_template", "for every label, or for none"),
    (
        "{prompt_template: {round: [{role: HUMAN, prompt: '{examples}'}]}, ice_template: {round: a}}",
        "prompt_template",
        "put it between turns",
    ),
    (
        "{prompt_template: {begin: '{examples}', round: a}, ice_template: b}",
        "prompt_template",
        "put it within a prompt",
    ),
    ("{prompt_template: a, separator: 3}", "separator", "must be text, not 3"),
    ("{prompt_template: a, fold_system: 3}", "fold_system", "must be true or false, not 3"),
    ("{prompt_template: a, answer_columns: b}", "answer_columns", "must be a list of column names, not 'b'"),
]


@pytest.mark.parametrize(("text", "field", "problem"), FAULTS, ids=[text for text, _, _ in FAULTS])
def test_a_fault_is_told_with_file_field_value_and_what_is_allowed(
    tmp_path: Path, text: str, field: str, problem: str
) -> None:
    file = written(tmp_path, text)

    with pytest.raises(InvalidInputError) as caught:
        read_template(file)

    (violation,) = caught.value.violations
    assert (violation.file, violation.field) == (str(file), field)
    assert problem in violation.problem


def test_what_is_no_yaml_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read_template(written(tmp_path, "a: b\nc: [\n"))

    assert caught.value.violations[0].line == 3


def test_a_file_that_does_not_exist_or_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\xff")

    with pytest.raises(NotFoundError, match=r"none\.yaml"):
        read_template(tmp_path / "none.yaml")
    with pytest.raises(InvalidInputError, match=r"b\.txt is not UTF-8"):
        read_template(tmp_path / "b.txt")


def test_slots_are_checked_before_a_run_with_every_fault_at_once() -> None:
    mine = template_of(yaml.safe_load("prompt_template: ['{a} {subjct} {question}', {text: x, when: b}]"), "mine")

    with pytest.raises(InvalidInputError) as caught:
        mine.check(["subject"], example_columns=[])

    told = [str(violation) for violation in caught.value.violations]
    assert [line.partition(":")[0] for line in told] == ["mine.a", "mine.b", "mine.subjct", "mine"]
    assert "did you mean 'subject'? known: answer, " in told[2]
    assert "use the retriever zero" in told[3]


def test_a_slot_that_one_case_does_not_fill_is_an_error_before_a_run() -> None:
    cases = [Case("1", "", metadata={"hint": "x"}), Case("2", "")]
    mine = template_of({"prompt_template": "{hint}"}, "mine")

    mine.check(columns_of(cases[:1]))
    with pytest.raises(InvalidInputError, match="'hint'"):
        mine.check(columns_of(cases))


def test_columns_of_the_answer_must_be_filled_by_examples_alone() -> None:
    mine = template_of({"answer_columns": ["why"], "ice_template": "{examples}{question}: {why}"}, "mine")

    mine.check([], example_columns=["why"])
    with pytest.raises(InvalidInputError, match="'why'"):
        mine.check(["why"], example_columns=[])
