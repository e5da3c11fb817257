"""What is wrong with questions, prompts and models is told with its place before anything starts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bakeoff.cli.main import main

FILE = """\
name: checks
benchmarks:
  - adapter: {{rows: {{path: rows.jsonl, eval_type: {eval_type}{examples}}}}}
recipes:
  - name: r
    answer: {{generator: {{openai: {{base_url: "{base_url}", model: {model}}}}}{more}}}
"""
ROWS = [{"question": "q?", "target": "a", "colour": "red"}, {"question": "r?", "target": "b"}]


class Listing(BaseHTTPRequestHandler):
    """An endpoint with two models; whoever asks one is noted."""

    asked: list[str]

    def do_GET(self) -> None:
        data = json.dumps({"object": "list", "data": [{"id": "small"}, {"id": "large"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        self.asked.append(self.path)
        self.send_error(500)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def listing() -> Iterator[tuple[str, list[str]]]:
    Listing.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Listing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", Listing.asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(
    folder: Path, *rows: object, eval_type: str = "key2_qa", examples: str = "", more: str = "", **model: str
) -> None:
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    values = {"base_url": "http://127.0.0.1:1/v1", "model": "small", **model}
    (folder / "e.yaml").write_text(FILE.format(eval_type=eval_type, examples=examples, more=more, **values))


@pytest.mark.parametrize(
    ("rows", "eval_type", "told"),
    [
        ([*ROWS, {"question": " ", "target": "c"}], "key2_qa", "rows.jsonl:3: row 3, question: must not be empty"),
        ([{"target": "c"}], "key2_qa", "rows.jsonl:1: row 1, question: is missing (key2_qa needs question)"),
        (
            [{"question": "q?", "choices": ["x", "y"], "label": "C"}],
            "key3_q_choices_a",
            "rows.jsonl:1: row 1, label: 'C' is none of the 2 choices; allowed: A to B, 0 to 1, the text of a choice",
        ),
        (ROWS, "key2_qaa", "e.yaml:3: benchmarks[0].adapter.rows.eval_type: must be one of 'key1_text_score'"),
    ],
)
@pytest.mark.parametrize("command", ["validate", "run"])
def test_a_broken_row_is_told_with_file_row_field_and_value(
    here: Path, capsys: pytest.CaptureFixture[str], command: str, rows: list[object], eval_type: str, told: str
) -> None:
    write(here, *rows, eval_type=eval_type)
    assert main([command, "e.yaml"]) == 2
    assert told in capsys.readouterr().err
    assert not (here / ".bakeoff").exists()


@pytest.mark.parametrize(
    ("examples", "more", "told"),
    [
        (
            "",
            ', template: "{colour} {question}"',
            "e.yaml:6: recipes[0].answer.template: nothing fills the slot 'colour'; known: ",
        ),
        ("", ', template: "{colour} {question}"', "the case 'rows/2' (row 2) has no such column (benchmark 'rows')"),
        ("", ', template: "{question"', "e.yaml:6: recipes[0].answer.template"),
        ("", ", examples: {random: {k: 2}}, template: '{examples}{question}'", "recipes[0].answer.examples"),
        (
            ", examples: rows.jsonl",
            ", examples: {fixed: {ids: [0, 2]}}, template: '{examples}{question}'",
            "recipes[0].answer.examples.fixed.ids[1]: is 2, but the pool has 2 examples: 0 to 1 are allowed",
        ),
    ],
)
def test_a_prompt_that_a_case_cannot_fill_is_told_with_the_slot_and_what_is_known(
    here: Path, capsys: pytest.CaptureFixture[str], examples: str, more: str, told: str
) -> None:
    write(here, *ROWS, examples=examples, more=more)
    assert main(["validate", "e.yaml"]) == 2
    assert told in capsys.readouterr().err


def test_a_slot_that_every_case_fills_is_right(here: Path) -> None:
    write(here, *[{**row, "colour": "red"} for row in ROWS], more=', template: "{colour} {question}"')
    assert main(["validate", "e.yaml"]) == 0


def test_a_model_that_does_not_exist_is_told_with_those_that_do_before_any_is_asked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with listing() as (base_url, asked):
        write(here, *ROWS, base_url=base_url, model="smal")
        assert main(["run", "e.yaml"]) == 2
    told = capsys.readouterr().err
    assert "e.yaml:6: recipes[0].answer.generator" in told
    assert "has no model 'smal'; did you mean 'small'? it has: large, small" in told
    assert asked == []
    assert not (here / ".bakeoff").exists()


def test_a_file_is_valid_without_its_endpoint(here: Path) -> None:
    write(here, *ROWS)
    assert main(["validate", "e.yaml"]) == 0


JUDGE = 'judge: {{base_url: "{base_url}", model: {model}, rubric: helpfulness{key}}}'
IN_SAMPLES = (
    "mean_of_samples: {{of: 'judge(base_url=\"{base_url}\", model={model}, rubric=helpfulness{signature_key})'}}"
)


@pytest.mark.parametrize("method", [JUDGE, IN_SAMPLES])
@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ({"model": "smal"}, "has no model 'smal'; did you mean 'small'?"),
        ({"model": "small", "key": "absent"}, "there is no key named 'absent' (known: none): set BAKEOFF_KEY_ABSENT"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_told_before_anything_is_wherever_it_stands(
    here: Path, capsys: pytest.CaptureFixture[str], method: str, judge: dict[str, str], told: str
) -> None:
    key = judge.get("key", "")
    with listing() as (base_url, asked):
        write(here, *ROWS, base_url=base_url)
        values = {"key": f", key: {key}" if key else "", "signature_key": f", key={key}" if key else ""}
        line = method.format(base_url=base_url, model=judge["model"], **values)
        text = (here / "e.yaml").read_text()
        (here / "e.yaml").write_text(text.replace("recipes:", f"    evaluators:\n      - {line}\nrecipes:"))
        assert main(["run", "e.yaml"]) == 2
    said = capsys.readouterr().err
    assert "e.yaml:5: benchmarks[0].evaluators[0]" in said
    assert told in said
    assert asked == []
