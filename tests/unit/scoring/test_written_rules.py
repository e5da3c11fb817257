"""Answers held against written rules: patterns, JSON, schemas, ground truths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.workspace_files import matching
from bakeoff.scoring.ground_rules import rules_of
from tests.builders import a_case
from tests.builders.scoring import the_scores, the_value


@pytest.mark.parametrize(
    ("method", "answer", "value"),
    [
        ('regex(pattern="qu[ae]y")', "North quay", 1.0),
        ('regex(pattern="qu[ae]y")', "North Quay", 0.0),
        ('regex(pattern="qu[ae]y", ignore_case=true)', "North Quay", 1.0),
        ('regex(pattern="[0-9]+", whole=true)', "12", 1.0),
        ('regex(pattern="[0-9]+", whole=true)', "12 boats", 0.0),
        ('regex(pattern=".")', "", 0.0),
    ],
)
def test_regex(method: str, answer: str, value: float) -> None:
    assert the_value(method, a_case(), answer) == value


def test_a_pattern_that_is_none_is_refused_with_its_place() -> None:
    with pytest.raises(InvalidInputError, match=r"regex.pattern: '\(' is no regular expression"):
        the_value('regex(pattern="(")', a_case(), "x")


def test_a_regex_metric_may_be_named() -> None:
    assert the_scores('regex(pattern="x", name="polite")', a_case(), "x").scores[0].metric == "regex_polite"


@pytest.mark.parametrize(
    ("answer", "fenced", "bare"),
    [
        ('{"a": 1}', 1.0, 1.0),
        (" [1, 2]\n", 1.0, 1.0),
        ("3", 1.0, 1.0),
        ('```json\n{"a": 1}\n```', 1.0, 0.0),
        ('Here it is: {"a": 1}', 0.0, 0.0),
        ("{'a': 1}", 0.0, 0.0),
        ('{"a": NaN}', 0.0, 0.0),
        ('{"a": 1, "a": 2}', 0.0, 0.0),
        ("", 0.0, 0.0),
        ("[" * 100_000, 0.0, 0.0),
    ],
    ids=range(10),
)
def test_json_valid(answer: str, fenced: float, bare: float) -> None:
    assert the_value("json_valid", a_case(), answer) == fenced
    assert the_value("json_valid(fenced=false)", a_case(), answer) == bare


SCHEMA = 'json_schema(schema={"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}})'


@pytest.mark.parametrize(
    ("answer", "value"), [('{"a": 1}', 1.0), ('{"a": "1"}', 0.0), ("{}", 0.0), ("[]", 0.0), ("a", 0.0)]
)
def test_json_schema(answer: str, value: float) -> None:
    assert the_value(SCHEMA, a_case(), answer) == value


def test_a_schema_failure_says_where() -> None:
    (told,) = the_scores(SCHEMA, a_case(), '{"a": "1"}').details.values()
    assert told == {"problems": ["$.a: '1' is not of type 'integer'"]}


def test_a_schema_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"json_schema.schema: it is no JSON Schema"):
        the_value('json_schema(schema={"type": "integr"})', a_case(), "1")


def test_a_schema_is_never_fetched() -> None:
    method = 'json_schema(schema={"$ref": "http://127.0.0.1:9/schema.json"})'
    assert the_value(method, a_case(), "1") == "failed: judge"


def challenge(**ground: object) -> Case:
    return Case("c1", "Write the words", Expected(metadata={"ground": ground}))


@pytest.mark.parametrize(
    ("case", "answer", "value"),
    [
        (challenge(should_contain=["red", "blue"]), "red and blue", 1.0),
        (challenge(should_contain=["red", "blue"]), "red only", 0.0),  # 4.2: the first word alone passed
        (challenge(should_contain=["red"], should_not_contain=["blue"]), "red and blue", 0.0),  # 4.2: passed
        (challenge(should_not_contain=["red", "blue"]), "blue", 0.0),  # 4.2: the second was not looked at
        (challenge(should_not_contain=["red", "blue"]), "green", 1.0),
        (challenge(should_contain=["Red"]), "red", 0.0),
        (challenge(should_contain=["Red"], case_sensitive=False), "RED", 1.0),  # 4.2: only the words were lowered
        (challenge(), "red", "failed: input"),  # zero criteria
        (challenge(should_contain="red"), "red", "failed: input"),
        (challenge(should_contain=["red"], eval={"type": "file"}), "red", 1.0),
        (challenge(should_contain=["red"], eval={"type": "llm"}), "red", "not_applicable"),
        (a_case(), "red", "not_applicable"),
        (challenge(should_contain=["red"]), None, "not_applicable"),
    ],
)
def test_ground_over_the_answer_4_2(case: Case, answer: str | None, value: float | str) -> None:
    assert the_value("ground", case, answer) == value


@pytest.mark.parametrize(
    ("wanted", "value", "share"),
    [
        ([".txt"], 1.0, 1.0),
        (["out/*.txt"], 0.0, 0.5),
        (["a.txt"], 0.0, 0.5),
        (["a.txt", "b.txt"], 1.0, 1.0),  # the files together have both words
        (["out/b.txt", "a.txt"], 1.0, 1.0),
        (["c.txt"], 0.0, 0.0),
        ([".csv"], 0.0, 0.0),
        ([".txt", "c.txt"], 0.0, 0.0),
    ],
)
def test_ground_over_files_4_2(wanted: list[str], value: float, share: float) -> None:
    case = challenge(should_contain=["red", "blue"], files=wanted)
    scores = the_scores("ground", case, "red blue", files={"a.txt": "red", "out/b.txt": "blue"}).scores
    assert [score.value for score in scores] == [value, share]


def test_entries_name_files() -> None:
    paths = [".csv", "a.csv", "out/b.csv", "out/b.txt"]
    assert matching(".csv", paths) == ["a.csv", "out/b.csv"]
    assert matching("b.*", paths) == ["out/b.csv", "out/b.txt"]
    assert matching("out/b.csv", paths) == ["out/b.csv"]
    assert matching("[x", paths) == []


@pytest.mark.data
def test_every_published_challenge_that_words_decide_has_rules(data_dir: Path) -> None:
    grounds = [json.loads(path.read_text())["ground"] for path in (data_dir / "agbenchmark").rglob("data.json")]
    assert len(grounds) == 90
    rules = [rules_of(challenge(**ground)) for ground in grounds if ground["eval"]["type"] == "file"]
    assert len(rules) == 31 + 18  # of the current and of the legacy challenges
    assert all(rule is not None and (rule.should_contain or rule.should_not_contain) for rule in rules)
