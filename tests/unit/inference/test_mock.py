from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.domain.answer import Passage, Span
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.inference.generators.mock import Mock
from bakeoff.inference.registries import generators

RULES = """\
rules:
  - case: 007
    answer: by the id
  - question: "(?i)capital of france"
    answer: Paris
  - prompt: harbour.*crane
    answer: by what was retrieved
  - question: two
    prompt: both
    answer: all must match
default: I do not know.
"""


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    file = tmp_path / "rules.yaml"
    file.write_text(RULES)
    return file


def passage(text: str) -> Passage:
    return Passage(1, 1.0, "d", "d#0", "raw", "0" * 64, Span(0, len(text)), text=text)


@pytest.mark.parametrize(
    ("case_id", "question", "text", "answer"),
    [
        ("007", "anything", "", "by the id"),
        ("7", "anything", "", "I do not know."),
        ("1", "What is the CAPITAL of France?", "", "Paris"),
        ("1", "Which one?", "In the harbour\nthere is a crane.", "by what was retrieved"),
        ("1", "two", "neither", "I do not know."),
        ("1", "two", "both", "all must match"),
        ("007", "capital of France", "", "by the id"),  # the first that matches
    ],
)
def test_the_first_rule_that_matches_answers(rules: Path, case_id: str, question: str, text: str, answer: str) -> None:
    mock = generators.load().make(ComponentSpec("mock", {"path": str(rules)}))

    for seed in (0, 1):
        assert mock.generate(question, [passage(text)], seed=seed, case_id=case_id).text == answer


def test_json_is_read_as_yaml_is(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"rules": [{"case": 7, "answer": 1.5}, {"question": "smile", "answer": "\U0001f600"}]}))

    assert Mock.read(file).reply("", case_id="7") == "1.5"
    assert Mock.read(file).reply("", question="smile") == "\U0001f600"


def test_a_file_without_a_default_fails_what_no_rule_matches(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("rules: [{case: a, answer: x}]")

    with pytest.raises(InvalidInputError, match="no rule matches the case 'b'"):
        Mock.read(file).reply("", case_id="b")


def test_the_digest_is_over_what_the_file_says_and_not_how(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.yaml", "b.json", "c.yaml")]
    files[0].write_text("default: x # a remark")
    files[1].write_text('{"default": "x"}')
    files[2].write_text("default: y")

    first, second, third = (Mock.read(file).digest for file in files)

    assert first == second != third


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("rules: [{answer: x}]", "rules[0]: must have one of case, question, prompt"),
        ("rules: [{case: a}]", "rules[0].answer: is missing"),
        ("rules: [{case: a, answer: x, when: now}]", "rules[0].when: is unknown (allowed: answer, case"),
        ("rules: [{question: '(', answer: x}]", "rules[0].question: is no regular expression"),
        ("rules: [{case: [a], answer: x}]", "rules[0].case: must be text, not ['a']"),
        ("rules: [a]", "rules[0]: must have an answer"),
        ("default: [x]", "default: must be text"),
        ("rules: []", "rules: must have a rule, or the file a default"),
        ("rules: {a: b}", "`rules` must be a list"),
        ("[]", "must hold `rules` and `default`"),
        ("answers: []", "must hold `rules` and `default`"),
        ("rules: [", "cannot be read"),
    ],
)
def test_rules_that_cannot_be_used_are_refused_by_their_place(tmp_path: Path, content: str, problem: str) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(content)

    with pytest.raises(InvalidInputError) as caught:
        Mock.read(file)

    assert problem in str(caught.value)
    assert "rules.yaml" in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"none\.yaml cannot be read: No such file"):
        Mock.read(tmp_path / "none.yaml")
