"""The command as a script sees it: what it prints, and with which code it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.cli.main import main
from bakeoff.domain.evaluation import EvaluationState
from tests.conftest import ROOT
from tests.unit.cli.conftest import FakePlatform

QUESTIONS = """\
cases:
  - id: q1
    question: Who keeps the light?
    answers: [Mabel]
    evidence: [{document: a.txt, text: Mabel keeps the light}]
"""
EVALUATION = """\
name: My Bake-off!
benchmarks:
  - folder: {path: documents, questions: questions.yaml}
recipes:
  - {name: bm25, query: full_text_search}
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An evaluation file with its data, in the working folder."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents/a.txt").write_text("Mabel keeps the light.")
    (tmp_path / "questions.yaml").write_text(QUESTIONS)
    (tmp_path / "e.yaml").write_text(EVALUATION)
    monkeypatch.chdir(tmp_path)
    return Path("e.yaml")


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_help_names_every_command_and_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    for word in ("run", "serve", "submit", "watch", "list", "cancel", "pause", "resume", "report", "validate"):
        assert f"\n    {word} " in text
    for code in ("0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "130 "):
        assert f"\n  {code}" in text


def test_help_loads_neither_services_nor_libraries_that_take_time() -> None:
    program = (
        "import sys; from bakeoff.cli.main import main; main(['--help'])\n"
        "heavy = {'numpy', 'grpc', 'nats', 'yaml', 'rich', 'bakeoff.runtime'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


@pytest.mark.parametrize("arguments", [[], ["rnu", "e.yaml"], ["run"], ["resume", "ev-1", "--concurrency", "0"]])
def test_wrong_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "usage: bakeoff" in capsys.readouterr().err


def test_a_valid_file_is_0_and_shows_what_it_compares(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(file)]) == 0
    assert "entrant bm25/full_text_search" in capsys.readouterr().out
    file.write_text(EVALUATION.replace("query: full_text_search", "answer: extractive"))
    assert main(["validate", str(file)]) == 0
    assert "entrant bm25/direct" in capsys.readouterr().out


def test_an_invalid_file_is_2_and_says_file_and_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(EVALUATION.replace("query: full", "qurey: full"))
    assert main(["validate", str(file)]) == 2
    assert "e.yaml:5: recipes[0].qurey: there is no key 'qurey' here; did you mean 'query'?" in capsys.readouterr().err


def test_data_that_is_not_there_is_2_and_says_file_and_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("questions.yaml").unlink()
    assert main(["validate", str(file)]) == 2
    assert "e.yaml:3: benchmarks[0].folder.questions: " in capsys.readouterr().err


def test_a_file_that_is_not_there_is_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "gone.yaml"]) == 3
    assert "there is no file 'gone.yaml'" in capsys.readouterr().err


def test_errors_are_json_for_machines(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(EVALUATION.replace("query: full", "qurey: full"))
    assert main(["validate", str(file), "--json"]) == 2
    said = capsys.readouterr()
    (line,) = lines(said.out)
    assert said.err.count("there is no key 'qurey' here") == 1
    assert line["event"] == "error"
    assert line["kind"] == "InvalidInputError"
    assert [violation["line"] for violation in line["violations"]] == [5, 5]  # type: ignore[attr-defined]


def test_a_platform_that_does_not_answer_is_4(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "ev-1", "--server", "127.0.0.1:1"]) == 4
    assert "127.0.0.1:1 does not answer" in capsys.readouterr().err


def test_no_platform_at_all_is_4_and_says_how_to_name_one(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", str(file)]) == 4
    assert "--server HOST:PORT" in capsys.readouterr().err


def test_submit_prints_the_id_and_the_same_file_gives_the_same(
    file: Path, platform: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for arguments in ([], [], ["--fresh"]):
        assert main(["submit", str(file), "--server", platform.address, *arguments]) == 0
        printed.append(capsys.readouterr().out.strip())
    assert printed[0] == printed[1]
    assert printed[2] != printed[0]


def test_data_that_is_only_on_the_machine_of_the_platform_may_be_submitted(file: Path, platform: FakePlatform) -> None:
    Path("questions.yaml").unlink()
    assert main(["submit", str(file), "--server", platform.address]) == 2
    assert main(["submit", str(file), "--server", platform.address, "--remote-data"]) == 0


def test_changed_data_is_another_evaluation(file: Path, platform: FakePlatform) -> None:
    assert main(["submit", str(file), "--server", platform.address]) == 0
    os.utime("documents/a.txt", (1, 1))
    assert main(["submit", str(file), "--server", platform.address]) == 0
    assert len(platform.known) == 2


def test_waiting_brings_the_report_home(file: Path, platform: FakePlatform, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", str(file), "--server", platform.address, "--wait"]) == 0
    folder = Path("reports/my-bake-off")
    assert sorted(path.name for path in folder.iterdir()) == [
        "cases.csv",
        "cases.parquet",
        "report.html",
        "report.json",
        "trec.zip",
    ]
    assert (folder / "trec.zip").read_bytes() == b"REPORT_FORMAT_TREC"
    said = capsys.readouterr()
    assert str(folder / "report.html") in said.out
    assert "running: infer 10 of 30 cases" in said.err


def test_waiting_says_json_and_nothing_else_to_machines(
    file: Path, platform: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["submit", str(file), "--server", platform.address, "--wait", "--json"]) == 0
    said = lines(capsys.readouterr().out)
    assert [line["event"] for line in said] == ["submitted", "evaluation", "evaluation", "finished"]
    assert said[-1]["failed_cases"] == 0
    assert said[-1]["digest"] == "0" * 64


@pytest.mark.parametrize("state", [EvaluationState.FAILED, EvaluationState.CANCELLED])
def test_an_evaluation_that_did_not_complete_is_1(
    file: Path, platform: FakePlatform, state: EvaluationState, capsys: pytest.CaptureFixture[str]
) -> None:
    platform.end = state
    assert main(["submit", str(file), "--server", platform.address, "--wait"]) == 1
    assert capsys.readouterr().err.count("because it had to") == 1
    assert not Path("reports").exists()


@pytest.mark.parametrize("command", ["submit", "watch"])
def test_machines_are_told_of_a_failure_in_json_and_people_once(
    file: Path, platform: FakePlatform, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    platform.end = EvaluationState.FAILED
    assert main(["submit", str(file), "--server", platform.address]) == 0
    name = capsys.readouterr().out.strip()
    what = [name] if command == "watch" else [str(file), "--wait"]
    assert main([command, *what, "--server", platform.address, "--json"]) == 1
    said = capsys.readouterr()
    assert lines(said.out)[-1]["reason"] == "because it had to"
    assert said.err == f"evaluation {name} failed: because it had to\n"


def test_failed_cases_are_5_only_when_one_is_strict(file: Path, platform: FakePlatform) -> None:
    platform.failed_cases = 1
    arguments = ["submit", str(file), "--server", platform.address, "--wait"]
    assert main(arguments) == 0
    assert main([*arguments, "--strict"]) == 5


def test_a_refused_request_shows_the_violations_of_the_server(
    file: Path, platform: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(EVALUATION.replace("My Bake-off!", "refused"))
    assert main(["submit", str(file), "--server", platform.address]) == 2
    assert "recipes[0].name: must be another" in capsys.readouterr().err


def test_watch_follows_to_the_end(file: Path, platform: FakePlatform, capsys: pytest.CaptureFixture[str]) -> None:
    main(["submit", str(file), "--server", platform.address])
    name = capsys.readouterr().out.strip()
    assert main(["watch", name, "--server", platform.address]) == 0
    assert capsys.readouterr().out == f"evaluation {name} completed\n"
    assert main(["watch", "ev-none", "--server", platform.address]) == 3


def test_list_shows_every_page(file: Path, platform: FakePlatform, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(3):
        file.write_text(EVALUATION.replace("My", f"{number}"))
        main(["submit", str(file), "--server", platform.address])
    capsys.readouterr()
    assert main(["list", "--server", platform.address]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == ["ID", "STATE", "SUBMITTED", "(UTC)", "NAME"]
    assert len(printed) == 4


def test_cancel_pause_and_resume_are_passed_on(
    file: Path, platform: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["submit", str(file), "--server", platform.address])
    name = capsys.readouterr().out.strip()
    for arguments in (["pause"], ["resume"], ["resume", "--concurrency", "3"], ["cancel", "--reason", "enough"]):
        assert main([arguments[0], name, *arguments[1:], "--server", platform.address]) == 0
    assert platform.calls == ["pause", "resume None", "resume 3", "cancel enough"]
    assert main(["cancel", "ev-none", "--server", platform.address]) == 3


def test_the_platform_of_the_settings_and_the_one_that_runs_in_the_folder_are_found(
    file: Path, platform: FakePlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".bakeoff").mkdir()
    Path(".bakeoff/embedded.json").write_text(json.dumps({"address": platform.address, "pid": os.getpid()}))
    assert main(["submit", str(file)]) == 0
    monkeypatch.setenv("BAKEOFF_SERVER", "127.0.0.1:1")
    assert main(["submit", str(file)]) == 4


def test_a_wrong_setting_of_the_environment_is_2(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BAKEOFF_SLOTS", "many")
    assert main(["validate", str(file)]) == 2
    assert "BAKEOFF_SLOTS: must be a whole number, not 'many'" in capsys.readouterr().err


def test_a_plug_in_that_cannot_be_loaded_is_2_and_named(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BAKEOFF_PLUGINS", "no_such")
    assert main(["validate", str(file)]) == 2
    told = capsys.readouterr().err
    assert "BAKEOFF_PLUGINS names the module 'no_such', which cannot be loaded: ModuleNotFoundError" in told
    assert "is its folder in PYTHONPATH?" in told


def test_a_place_for_the_report_that_cannot_be_written_is_2_before_anything_starts(
    file: Path, platform: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["submit", str(file), "--server", platform.address, "--wait", "--out", "e.yaml/reports"]
    assert main(arguments) == 2
    assert "e.yaml/reports cannot be written" in capsys.readouterr().err
    assert not platform.known


def test_a_report_is_exported_from_a_platform_and_from_a_folder(
    file: Path, platform: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["submit", str(file), "--server", platform.address, "--wait"])
    name = next(iter(platform.known))
    for source in ([name, "--server", platform.address], ["reports/my-bake-off"], [str(file)]):
        assert main(["report", *source, "--export", "csv", "--out", "out.csv"]) == 0
        assert Path("out.csv").read_bytes() == b"REPORT_FORMAT_CSV"
        Path("out.csv").unlink()
    assert main(["report", "reports/my-bake-off/report.json", "--print"]) == 0
    assert main(["report", "reports/none", "--print"]) == 3
    assert main(["report", "ev-none", "--server", platform.address]) == 3
    assert main(["report", name, "--out", "x"]) == 2


def test_components_shows_settings_with_their_ranges(
    platform: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["components", "chunker", "--server", platform.address]) == 0
    text = capsys.readouterr().out
    assert "overlap: int, ≥ 0, < size, default 0" in text
    assert "beir" not in text


def test_one_component_is_shown_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["components", "evaluator", "exact_match"]) == 0
    text = capsys.readouterr().out
    assert "normaliser" in text
    assert "token_f1" not in text
    assert main(["components", "evaluator", "exactmatch"]) == 3
    assert "no evaluator is named 'exactmatch'; did you mean 'exact_match'? known: " in capsys.readouterr().err


def test_the_installed_components_are_those_of_all_kinds_that_files_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["components", "--json"]) == 0
    kinds = {line["kind"] for line in lines(capsys.readouterr().out)}
    assert kinds >= {
        "adapter",
        "parser",
        "chunker",
        "embedder",
        "index",
        "query_engine",
        "generator",
        "evaluator",
        "renderer",
    }


def test_the_command_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bakeoff", "version"], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.startswith("bakeoff ")
