"""`bakeoff answer` with a model at an endpoint, through a platform that it starts itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command import run
from tests.e2e.scripted_model import Endpoint, an_endpoint


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with an_endpoint() as endpoint:
        yield endpoint


def test_choices_are_shown_failures_stay_with_their_rows_and_nothing_is_asked_twice(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    rows = [{"question": f'Say "{word}" please', "choices": ["x", "y"]} for word in ("one", "fail", "three")]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    generator = f'openai(base_url="{endpoint.base_url}", model="scripted", stream=false)'
    command = ["answer", "rows.jsonl", "--eval-type", "key3_q_choices_as", "--generator", generator, "--strict"]

    first = run(command, tmp_path)

    assert first.code == 5, first.err
    copy = (tmp_path / "rows.answered.jsonl").read_text()
    answers = [json.loads(line) for line in copy.splitlines()]
    assert [answer["generated_ans"] for answer in answers] == ["one", None, "three"]
    assert [bool(answer["generated_ans_error"]) for answer in answers] == [False, True, False]
    assert "not to my taste" in answers[1]["generated_ans_error"]
    assert len(endpoint.calls) == 3
    assert all("\n\nChoices:\nA. x\nB. y\n\nThis is a multi-select question." in told for told in endpoint.calls)

    calls = endpoint.calls.total()
    assert run(command, tmp_path).code == 5
    assert endpoint.calls.total() == calls + 1  # only what was refused, which has no answer to keep
    assert (tmp_path / "rows.answered.jsonl").read_text() == copy
