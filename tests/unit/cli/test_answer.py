"""Rows are answered into a copy of their file: whole, in its format, with the errors of those that failed."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from bakeoff.cli.main import main
from tests.unit.cli.conftest import FakePlatform


@pytest.fixture(autouse=True)
def meant(platform: FakePlatform, monkeypatch: pytest.MonkeyPatch) -> None:
    """The platform that commands talk to."""
    monkeypatch.setenv("BAKEOFF_SERVER", platform.address)


def answer(file: Path, *more: str, eval_type: str = "key2_qa", generator: str = "extractive") -> int:
    return main(["answer", str(file), "--eval-type", eval_type, "--generator", generator, *more])


def json_lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_answers_go_to_their_rows_and_failures_beside_them(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "rows.jsonl", {"question": "one"}, {"question": "fail"}, {"question": "three"})

    assert answer(file) == 0
    assert read(tmp_path / "rows.answered.jsonl") == [
        {"question": "one", "generated_ans": "ONE", "generated_ans_error": ""},
        {"question": "fail", "generated_ans": None, "generated_ans_error": "model: it would not"},
        {"question": "three", "generated_ans": "THREE", "generated_ans_error": ""},
    ]


def test_strict_ends_with_5_when_a_row_failed_and_the_copy_is_there(tmp_path: Path) -> None:
    assert answer(json_lines(tmp_path / "rows.jsonl", {"question": "fail"}), "--strict") == 5
    assert (tmp_path / "rows.answered.jsonl").exists()


def test_json_tells_the_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = json_lines(tmp_path / "rows.jsonl", {"question": "one"}, {"question": "fail"})

    assert answer(file, "--json") == 0
    (line,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    expected = {"event": "answered", "file": str(tmp_path / "rows.answered.jsonl")}
    assert line == {**expected, "answered": 1, "kept": 0, "failed": 1}


def test_numbers_and_other_columns_of_json_stay_as_they_are_spelled(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"question": "é", "price": 0.10, "big": 123456789012345678901, "x": {"a": [1.50, null, true]}}\n')

    assert answer(file) == 0
    copy = (tmp_path / "rows.answered.jsonl").read_text()
    assert copy.startswith(file.read_text().rstrip("}\n"))


def test_csv_stays_csv(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text('id,question,note\n01,"one, two",\n\n02,fail,"a ""b"""\n')

    assert answer(file) == 0
    assert (tmp_path / "rows.answered.csv").read_text() == (
        "id,question,note,generated_ans,generated_ans_error\n"
        '01,"one, two",,"ONE, TWO",\n'
        '02,fail,"a ""b""",,model: it would not\n'
    )


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    table = pyarrow.table({"question": ["one", "fail"], "score": pyarrow.array([0.5, None], pyarrow.float32())})
    pyarrow.parquet.write_table(table, file)

    assert answer(file) == 0
    copy = pyarrow.parquet.read_table(tmp_path / "rows.answered.parquet")
    assert copy.select(["question", "score"]).equals(table)
    assert copy.column("generated_ans").to_pylist() == ["ONE", None]
    assert copy.column("generated_ans_error").to_pylist() == ["", "model: it would not"]


@pytest.mark.parametrize("key", ["generated_ans", "generated_ans_error"])
def test_answers_that_are_there_are_not_written_over_unasked(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], platform: FakePlatform
) -> None:
    file = json_lines(tmp_path / "rows.jsonl", {"question": "one", key: "1"})

    assert answer(file) == 2
    assert "--fill-missing" in capsys.readouterr().err
    assert platform.rows == []
    assert answer(file, "--allow-overwrite") == 0
    assert read(tmp_path / "rows.answered.jsonl")[0]["generated_ans"] == "ONE"


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_what_is_missing_is_filled_and_nothing_else_is_asked(
    ending: str, tmp_path: Path, platform: FakePlatform
) -> None:
    file, copy = tmp_path / f"rows.{ending}", tmp_path / f"rows.answered.{ending}"
    questions, there = ["one", "two", "three"], ["1", "", None]
    table = pyarrow.table({"question": questions, "generated_ans": there, "generated_ans_error": ["", "model: x", ""]})
    if ending == "jsonl":
        json_lines(file, *table.to_pylist())
    elif ending == "csv":
        file.write_text("question,generated_ans,generated_ans_error\none,1,\ntwo,,model: x\nthree,,\n")
    else:
        pyarrow.parquet.write_table(table, file)

    assert answer(file, "--fill-missing") == 0
    assert [row.question for row in platform.rows] == ["two", "three"]
    if ending == "jsonl":
        assert [(row["generated_ans"], row["generated_ans_error"]) for row in read(copy)] == [
            ("1", ""),
            ("TWO", ""),
            ("THREE", ""),
        ]
    elif ending == "csv":
        head = "question,generated_ans,generated_ans_error\n"
        assert copy.read_text() == head + "one,1,\ntwo,TWO,\nthree,THREE,\n"
    else:
        copied = pyarrow.parquet.read_table(copy)
        assert copied.column("generated_ans").to_pylist() == ["1", "TWO", "THREE"]
        assert copied.column("generated_ans_error").to_pylist() == ["", "", ""]


def test_row_f10_rows_that_are_kept_do_not_hide_that_all_new_ones_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = [{"question": "old", "generated_ans": "1"}] * 90
    file = json_lines(tmp_path / "rows.jsonl", *kept, *[{"question": "fail"}] * 10)

    assert answer(file, "--fill-missing", "--strict", "--json") == 5
    told = json.loads(capsys.readouterr().out)
    assert (told["answered"], told["kept"], told["failed"]) == (0, 90, 10)


def test_when_all_is_there_nobody_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAKEOFF_SERVER", "127.0.0.1:1")  # nothing listens there
    file = json_lines(tmp_path / "rows.jsonl", {"question": "one", "generated_ans": "1"})

    assert answer(file, "--fill-missing") == 0
    assert read(tmp_path / "rows.answered.jsonl")[0]["generated_ans"] == "1"


def test_choices_contexts_and_the_type_are_sent_along(tmp_path: Path, platform: FakePlatform) -> None:
    row = {"q": "which?", "options": {"text": ["x", "y"], "label": ["A", "B"]}, "passage": ["c1", " c2 "]}
    file = json_lines(tmp_path / "rows.jsonl", row)
    keys = ("--question-key", "q", "--choices-key", "options", "--context-key", "passage")

    assert answer(file, *keys, "--seed", "7", "--output-key", "said", eval_type="key3_q_choices_as") == 0
    (sent,) = platform.rows
    assert (sent.question, list(sent.choices), list(sent.contexts)) == ("which?", ["x", "y"], ["c1", "c2"])
    assert (sent.eval_type, sent.seed) == ("key3_q_choices_as", 7)
    assert list(read(tmp_path / "rows.answered.jsonl")[0])[-2:] == ["said", "said_error"]


def test_types_that_are_judged_by_likelihood_are_answered_only_when_forced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = json_lines(tmp_path / "rows.jsonl", {"question": "which?", "choices": ["x", "y"], "text": "t"})

    assert answer(file, eval_type="key3_q_choices_a") == 2
    assert "--force-generate" in capsys.readouterr().err
    assert answer(file, "--force-generate", eval_type="key3_q_choices_a") == 0
    assert answer(file, "--force-generate", eval_type="key1_text_score") == 2


@pytest.mark.parametrize(
    ("rows", "more", "problem"),
    [
        ([{"query": "one"}], (), "rows.jsonl:1: row 1, question: is missing"),
        ([{"question": "one"}, {"question": " "}], (), "rows.jsonl:2: row 2, question: must not be empty"),
        ([{"question": "one"}], ("--template", "Say {colour}"), "colour"),
        ([{"question": "one"}], ("--eval-type", "key2_qb"), "did you mean 'key2_qa'?"),
        ([{"question": "one"}], ("--generator", "Open AI"), "is no component"),
        ([{"question": "one"}], ("--out", "copy.csv"), "must have the ending of"),
    ],
)
def test_what_can_be_known_to_be_wrong_is_told_before_anything_is_asked(
    rows: list[object],
    more: tuple[str, ...],
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    platform: FakePlatform,
) -> None:
    assert answer(json_lines(tmp_path / "rows.jsonl", *rows), *more) == 2
    assert problem in capsys.readouterr().err
    assert platform.rows == []
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]


def test_the_file_itself_is_never_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = json_lines(tmp_path / "rows.jsonl", {"question": "one"})

    assert answer(file, "--out", str(file)) == 2
    assert "is the file itself" in capsys.readouterr().err


def test_when_the_platform_refuses_nothing_is_written(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "rows.jsonl", {"question": "one"})

    assert answer(file, generator="nobody") == 3
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]
    assert answer(tmp_path / "none.jsonl") == 3
