"""The adapter `rows`: six types of evaluation over rows of any format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.domain.benchmark import Case, Expected
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.registries import adapters
from bakeoff.preparation.workspace import LocalWorkspace
from bakeoff.runtime.memory_objects import MemoryObjects
from tests.unit.preparation.conftest import Outcome

Prepare = Callable[..., Outcome]
Rows = Callable[..., Outcome]


@pytest.fixture
def rows(prepare_as: Prepare, tmp_path: Path) -> Rows:
    """Prepare rows that are written as JSON lines."""

    def run(eval_type: str, *written: dict[str, Any], **settings: Any) -> Outcome:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in written))
        return prepare_as("rows", path=str(path), eval_type=eval_type, **settings)

    return run


@pytest.mark.parametrize(
    ("eval_type", "row", "query", "expected"),
    [
        ("key1_text_score", {"text": "Some text."}, "Some text.", Expected()),
        ("key2_qa", {"question": "q?", "target": "6:10"}, "q?", Expected(("6:10",))),
        ("key2_qa", {"question": "q?", "target": 7}, "q?", Expected(("7",), value=7)),
        ("key2_q_ma", {"question": "q?", "targets": ["a", "b"]}, "q?", Expected(("a", "b"))),
        (
            "key3_q_choices_a",
            {"question": "q?", "choices": ["x", "y"], "label": "B"},
            "q?",
            Expected(("y",), value=1, metadata={"label": "B"}),
        ),
        (
            "key3_q_choices_as",
            {"question": "q?", "choices": ["x", "y", "z"], "labels": ["C", "A"]},
            "q?",
            Expected(("x", "z"), value=[0, 2], metadata={"labels": ["C", "A"]}),
        ),
        (
            "key3_q_a_rejected",
            {"question": "q?", "better": "yes", "rejected": "no"},
            "q?",
            Expected(metadata={"better": "yes", "rejected": "no"}),
        ),
    ],
)
def test_a_row_of_each_type_becomes_a_case(
    rows: Rows, eval_type: str, row: dict[str, Any], query: str, expected: Expected
) -> None:
    outcome = rows(eval_type, row)
    (case,) = outcome.cases
    assert (case.query, case.expected, case.metadata["eval_type"]) == (query, expected, eval_type)
    assert outcome.findings == {}
    assert outcome.manifest.evaluators == tuple(
        ComponentSpec(eval_type, {"mode": mode}) for mode in ("strict", "official")
    )


def test_a_target_keeps_the_digits_that_were_written(prepare_as: Prepare, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"question": "q?", "target": 0.10}\n')
    (case,) = prepare_as("rows", path=str(tmp_path / "a.jsonl")).cases
    assert case.expected == Expected(("0.10",), value=0.1)


def test_columns_may_have_other_names_lie_deep_or_be_several(rows: Rows) -> None:
    row = {
        "qid": 7, "q": "q?", "gold": {"texts": ["a", "b"]}, "passages": [{"text": "p1"}, {"text": "p2"}], "year": 2020,
    }  # fmt: skip
    keys = {"id": "qid", "question": "q", "targets": "gold.texts", "context": "passages.*.text"}
    (case,) = rows("key2_q_ma", row, keys=keys).cases
    assert case == Case(
        "7",
        "q?",
        Expected(("a", "b")),
        metadata={"eval_type": "key2_q_ma", "row": 1, "contexts": ["p1", "p2"], "year": 2020},
    )
    lettered = {"question": "q?", "A": "x", "B": "y", "label": "A"}
    (case,) = rows("key3_q_choices_a", lettered, keys={"choices": ["A", "B"]}).cases
    assert case.metadata["choices"] == ["x", "y"]


def test_invalid_choices_become_one_empty_choice_and_are_counted(rows: Rows) -> None:
    outcome = rows("key3_q_choices_a", {"question": "q?", "choices": "a|b", "label": "B"})
    (case,) = outcome.cases
    assert case.metadata["choices"] == [""]
    assert case.expected.value is None
    assert outcome.findings == {"invalid_choices": 1}


def test_a_row_without_a_gold_answer_is_kept_and_counted(rows: Rows) -> None:
    outcome = rows("key2_qa", {"question": "q?", "target": " "}, {"question": "r?", "target": None})
    assert len(outcome.cases) == 2
    assert outcome.findings == {"empty_reference": 2, "nothing_expected": 2}


def test_rows_that_are_only_to_be_answered_need_no_gold_answer(rows: Rows) -> None:
    outcome = rows("key3_q_choices_a", {"question": "q?", "choices": ["x", "y"]}, expected=False)
    assert outcome.cases[0].metadata["choices"] == ["x", "y"]


def test_every_fault_names_file_row_column_value_and_what_is_allowed(rows: Rows, tmp_path: Path) -> None:
    good = {"question": "q?", "choices": ["x", "y"], "label": 0}
    with pytest.raises(InvalidInputError) as caught:
        rows("key3_q_choices_a", good, {**good, "question": " "}, {**good, "label": "C"})
    path = tmp_path / "rows.jsonl"
    assert [str(fault) for fault in caught.value.violations] == [
        f"{path}:2: row 2, question: must not be empty: key3_q_choices_a needs question, not ' '",
        f"{path}:3: row 3, label: 'C' is none of the 2 choices; allowed: A to B, 0 to 1, the text of a choice",
    ]


def test_a_column_that_is_not_there_is_told_once_with_those_that_are(rows: Rows) -> None:
    with pytest.raises(InvalidInputError) as caught:
        rows("key2_qa", *[{"prompt": "q?", "target": "a"}] * 3)
    (fault,) = caught.value.violations
    assert str(fault).endswith("row 1, question: is missing (key2_qa needs question); there are: prompt, target")


def test_nothing_is_stored_when_a_row_is_wrong(rows: Rows, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError):
        rows("key2_qa", {"question": "q?", "target": "a"}, {"question": None, "target": "a"})


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"eval_type": "key2_qaa"}, "must be one of 'key1_text_score'.*did you mean 'key2_qa'"),
        ({"keys": {"qestion": "q"}}, r"keys\.qestion: is no known part; did you mean 'question'\? \(allowed: id, text"),
        ({"keys": {"question": 3}}, r"keys\.question: must be a column's name or a list of them, not 3"),
        ({"delimiter": "||"}, "must be one character"),
        ({"label_base": "2"}, "must be one of 'auto', 'letter', '0', '1', 'text', not '2'"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_read(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        adapters.load().make(ComponentSpec("rows", {"path": "/nowhere/a.csv", **settings}))


def test_other_columns_never_take_the_names_of_parts(rows: Rows) -> None:
    row = {"question": "q?", "target": "a", "row": 99, "eval_type": "mine", "level": 0.50}
    (case,) = rows("key2_qa", row).cases
    assert case.metadata == {"eval_type": "key2_qa", "row": 1, "level": "0.5"}


def stored_rows(tmp_path: Path, uri: str) -> list[Case]:
    objects = MemoryObjects()
    data = b"question,target\nq?,a\n"
    objects.create("inputs/rows.csv", data)
    objects.create("evaluations/ev-1/answers/i.json", data)
    (tmp_path / "scratch").mkdir()
    workspace = LocalWorkspace(tmp_path / "scratch", Downloads(tmp_path / "cache"), objects, "bakeoff")
    adapter = adapters.load().make(ComponentSpec("rows", {"path": uri}))
    assert adapter.check() == []
    return list(adapter.cases(adapter.prepare(workspace)))


def test_rows_in_the_platforms_bucket_are_read(tmp_path: Path) -> None:
    (case,) = stored_rows(tmp_path, "s3://bakeoff/inputs/rows.csv")
    assert (case.case_id, case.expected.answers) == ("rows/1", ("a",))


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("s3://other/inputs/rows.csv", "only the bucket 'bakeoff' can be read, not 'other'"),
        ("s3://bakeoff/evaluations/ev-1/answers/i.json", "keys below evaluations/.* are not read as benchmarks"),
        ("s3://bakeoff/inputs/nope.csv", "there is no such object"),
    ],
)
def test_other_objects_are_refused(tmp_path: Path, uri: str, problem: str) -> None:
    with pytest.raises((InvalidInputError, NotFoundError), match=problem):
        stored_rows(tmp_path, uri)
