"""`bakeoff prompt show` prints what would be sent, and says why where it cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli.main import main

FILE = """
name: Preview
benchmarks:
  - rows: {path: rows.jsonl, examples: train.jsonl, eval_type: key3_q_choices_as}
recipes:
  - name: zero shot
    answer: {generator: 'openai(base_url="http://127.0.0.1:1/v1", model="m")'}
  - name: two shots
    answer:
      generator: openai(base_url="http://127.0.0.1:1/v1", model="m", api="completions")
      template: |
        prompt_template: "{examples}Question: {question}\\nAnswer:"
        ice_template: "Question: {question}\\nAnswer: {answer}"
      examples: random(k=2)
  - name: dialogue
    answer:
      generator: openai(base_url="http://127.0.0.1:1/v1", model="m")
      template: |
        prompt_template:
          begin: [{role: SYSTEM, prompt: Be brief.}]
          round: [{role: HUMAN, prompt: "{question}"}]
  - name: weighing
    answer:
      generator: openai(base_url="http://127.0.0.1:1/v1", model="m")
      template: "Question: {question}\\nAnswer:"
      likelihood: {}
  - name: quoting
    answer: extractive
  - name: retrieving
    query: [full_text_search]
    answer: {generator: 'openai(base_url="http://127.0.0.1:1/v1", model="m")'}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An evaluation file with its rows."""
    for name in ("rows", "train"):
        lines = [
            {"id": f"{name}{n}", "question": f"{name} {n}?", "choices": ["x", "y"], "labels": ["A"]} for n in range(3)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    path = tmp_path / "evaluation.yaml"
    path.write_text(FILE)
    return path


def test_a_prompt_is_printed_as_it_would_be_sent(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompt", "show", str(file), "zero shot", "rows1"]) == 0
    assert capsys.readouterr().out == (
        "Question:\nrows 1?\n\nChoices:\nA. x\nB. y\n\n"
        'This is a multi-select question. Output JSON only, format: {"choices": ["A","C"]}.\nAnswer:\n'
    )


def test_examples_stand_before_the_question(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompt", "show", str(file), "two shots", "rows1"]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith("\nQuestion: rows 1?\nAnswer:\n")
    assert shown.count("Question: train ") == 2


def test_a_dialogue_is_printed_by_turns(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompt", "show", str(file), "dialogue", "rows1"]) == 0
    assert capsys.readouterr().out == "[system]\nBe brief.\n\n[user]\nrows 1?\n"


def test_json_has_the_request_and_the_examples(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prompt", "show", str(file), "two shots", "rows1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["event"], shown["request"]["model"], len(shown["examples"])) == ("prompt", "m", 2)
    assert shown["request"]["prompt"].endswith("Question: rows 1?\nAnswer:")
    assert (len(shown["prompt"]), len(shown["template"])) == (64, 64)


def test_what_is_weighed_is_printed_with_the_text_whose_likelihood_it_is(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prompt", "show", str(file), "weighing", "rows1"]) == 0
    assert capsys.readouterr().out == (
        "[likelihood: choices, 'x']\nQuestion: rows 1?\\nAnswer: x\n\n"
        "[likelihood: choices, 'y']\nQuestion: rows 1?\\nAnswer: y\n"
    ).replace("\\n", "\n")
    assert main(["prompt", "show", str(file), "weighing", "rows1", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["event"], len(shown["texts"])) == ("weighed", 2)
    assert shown["texts"][1] == {
        "name": "choices",
        "context": "Question: rows 1?\nAnswer:",
        "continuation": " y",
    }


@pytest.mark.parametrize(
    ("recipe", "case", "code", "problem"),
    [
        ("nope", "rows1", 3, "it has: zero shot, two shots"),
        ("zero shot", "row1", 3, "of its 3 cases there are rows"),
        ("quoting", "rows1", 2, "asks no model: its answers are made by 'extractive'"),
        ("retrieving", "rows1", 2, "only recipes without `query` can be shown"),
    ],
)
def test_what_cannot_be_shown_says_why(
    recipe: str, case: str, code: int, problem: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prompt", "show", str(file), recipe, case]) == code
    assert problem in capsys.readouterr().err
