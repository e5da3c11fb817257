"""The ways to say which report is meant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.cli.found_reports import evaluation_meant
from bakeoff.contract.stored import encode
from bakeoff.domain.errors import InvalidInputError, NotFoundError
from tests.unit.cli.conftest import a_report


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the report of `e.yaml`."""
    monkeypatch.chdir(tmp_path)
    reports = tmp_path / "reports/my-bake-off"
    reports.mkdir(parents=True)
    report = a_report()
    (reports / "report.json").write_bytes(encode(replace(report, run=replace(report.run, evaluation_id="ev-7"))))
    (tmp_path / "e.yaml").write_text("name: My bake-off")
    (tmp_path / "other.yaml").write_text("name: Not yet")
    (tmp_path / "nameless.yaml").write_text("benchmarks: []")
    return tmp_path


@pytest.mark.parametrize("text", ["ev-7", "reports/my-bake-off", "reports/my-bake-off/report.json", "e.yaml"])
def test_an_evaluation_is_named_by_its_id_its_report_the_folder_or_its_file(text: str) -> None:
    assert evaluation_meant(text) == "ev-7"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("reports/other", "there is no report at 'reports/other'"),
        ("other.yaml", "there is no report 'reports/not-yet' yet; run `bakeoff run other.yaml`"),
        ("reports", "there is no file 'reports/report.json'"),
    ],
)
def test_a_report_that_is_not_there_is_told(text: str, words: str) -> None:
    with pytest.raises(NotFoundError, match=words):
        evaluation_meant(text)


def test_a_file_that_is_no_evaluation_file_is_told() -> None:
    with pytest.raises(InvalidInputError, match=r"nameless\.yaml is no evaluation file with a name"):
        evaluation_meant("nameless.yaml")
