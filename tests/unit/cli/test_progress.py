"""How far an evaluation is, in words."""

from __future__ import annotations

import io

import pytest

from bakeoff.cli.progress import LineProgress, TerminalProgress, one_line, status_facts
from bakeoff.domain.evaluation import Download, EvaluationState, EvaluationStatus, Stage, StageProgress


def a_status(done: int = 1, state: EvaluationState = EvaluationState.RUNNING, reason: str = "") -> EvaluationStatus:
    stages = (
        StageProgress(Stage.PREPARE, 1, 1, 0),
        StageProgress(Stage.INFER, 3, done, 2, 1, 2500, 100 * done),
        StageProgress(Stage.SCORE, 3, 0, 0),
    )
    return EvaluationStatus("ev-1", "a bake-off", "default", state, stages, reason)


def test_a_line_has_the_stages_that_are_under_way() -> None:
    assert one_line(a_status()) == "ev-1 running: infer 100 of 2,500 cases, 1 failed item"


def test_a_line_of_an_ended_evaluation_has_its_reason() -> None:
    failed = a_status(state=EvaluationState.FAILED, reason="the benchmark has no cases")
    assert one_line(failed) == "ev-1 failed: the benchmark has no cases"
    assert one_line(a_status(state=EvaluationState.COMPLETED)) == "ev-1 completed"


def test_plain_lines_come_at_most_once_a_second_and_only_on_change() -> None:
    said: list[str] = []
    now = [0.0]
    progress = LineProgress(said.append, lambda: now[0])
    for at, done in ((0.0, 1), (0.4, 2), (0.9, 3), (1.1, 3), (2.5, 3)):
        now[0] = at
        progress.show(a_status(done))
    assert said == [
        "ev-1 running: infer 100 of 2,500 cases, 1 failed item",
        # infer has ended at 1.1 s, and score has not begun
        "ev-1 running",
    ]


def test_the_end_is_said_at_once() -> None:
    said: list[str] = []
    progress = LineProgress(said.append, lambda: 0.0)
    progress.show(a_status())
    progress.show(a_status(state=EvaluationState.COMPLETED))
    assert said[-1] == "ev-1 completed"


def test_a_failure_is_left_to_the_command_to_tell() -> None:
    said: list[str] = []
    progress = LineProgress(said.append, lambda: 0.0)
    for state in (EvaluationState.FAILED, EvaluationState.CANCELLED):
        progress.show(a_status(state=state, reason="because it had to"))
    assert said == []


def a_download(received: int = 12_300_000, total: int | None = 67_140_000) -> EvaluationStatus:
    stages = (StageProgress(Stage.PREPARE, 1, 0, 1), StageProgress(Stage.INFER, 0, 0, 0))
    download = Download("scifact", "https://data.example/sets/sci%20fact.zip", received, total)
    preparing = EvaluationState.PREPARING
    return EvaluationStatus("ev-1", "a bake-off", "default", preparing, stages, downloads=(download,))


@pytest.mark.parametrize(
    ("received", "total", "words"),
    [
        (12_300_000, 67_140_000, ", sci fact.zip 12.3 of 67.1 MB"),
        (4_000_000, 2_500_000_000, ", sci fact.zip 0.0 of 2.5 GB"),
        (900, 1_500, ", sci fact.zip 0.9 of 1.5 kB"),
        (12, 999, ", sci fact.zip 12 of 999 bytes"),
        (12_300_000, None, ", sci fact.zip 12.3 MB so far"),
        (67_140_000, 67_140_000, ""),  # it is being unpacked
    ],
)
def test_a_download_is_shown_with_its_bytes(received: int, total: int | None, words: str) -> None:
    assert one_line(a_download(received, total)) == f"ev-1 preparing: prepare 0 of 1 items{words}"
    assert status_facts(a_download(received, total))["downloads"] == a_download(received, total).downloads


def test_the_bar_of_preparing_shows_the_download() -> None:
    stream = io.StringIO()
    progress = TerminalProgress(stream)
    progress.show(a_download())
    progress.close()
    assert "0 of 1 items, sci fact.zip 12.3 of 67.1 MB" in stream.getvalue()


def test_bars_show_every_stage_and_leave_the_terminal_alone_afterwards() -> None:
    stream = io.StringIO()
    progress = TerminalProgress(stream)
    progress.show(a_status())
    progress.close()
    progress.close()
    text = stream.getvalue()
    assert "infer" in text
    assert "100 of 2,500 cases, 1 failed item" in text


def test_a_stage_without_items_has_nothing_to_do_once_all_is_planned() -> None:
    stream = io.StringIO()
    progress = TerminalProgress(stream)
    stages = (StageProgress(Stage.INFER, 0, 0, 0), StageProgress(Stage.REPORT, 1, 0, 0))
    progress.show(EvaluationStatus("ev-1", "a bake-off", "default", EvaluationState.RUNNING, stages))
    progress.close()
    shown = [line for line in stream.getvalue().splitlines() if "infer" in line]
    assert "nothing to do" in shown[-1]
    assert "waiting" not in shown[-1]
