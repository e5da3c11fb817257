"""The doctor finds what is wrong, and says which setting mends it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli import checkup
from bakeoff.cli.main import main
from bakeoff.runtime.settings import Settings
from tests.unit.cli.conftest import FakePlatform

NOWHERE = "127.0.0.1:1"  # nobody listens on a port that only root may open


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that point nowhere."""
    monkeypatch.setenv("BAKEOFF_NATS_URL", f"nats://{NOWHERE}")
    monkeypatch.setenv("BAKEOFF_S3_ENDPOINT", f"http://{NOWHERE}")
    monkeypatch.setenv("BAKEOFF_SERVER", NOWHERE)
    monkeypatch.setenv("BAKEOFF_KNOWLEDGE_ADDRESS", NOWHERE)


@pytest.mark.usefixtures("nothing_runs")
def test_what_run_needs_is_there_without_any_platform(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--only", "embedded", "--dir", str(tmp_path / "new")]) == 0
    assert "WRONG" not in capsys.readouterr().out
    assert not (tmp_path / "new").exists()


def test_a_platform_is_only_looked_at_when_one_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["doctor", "--dir", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "service control" not in said.out
    assert "no platform is named" in said.err

    monkeypatch.setenv("BAKEOFF_SERVER", NOWHERE)
    assert main(["doctor", "--dir", str(tmp_path)]) == 1
    assert "service control" in capsys.readouterr().out


def test_a_variable_that_is_no_setting_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAKEOFF_SLOTZ", "3")
    monkeypatch.setenv("BAKEOFF_TEST_DATA", "somewhere")
    assert main(["doctor", "--only", "embedded", "--dir", str(tmp_path)]) == 1
    assert "there are no settings BAKEOFF_SLOTZ; they are ignored" in capsys.readouterr().out


@pytest.mark.usefixtures("nothing_runs")
def test_each_part_that_does_not_answer_is_named_with_its_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--only", "platform", "--host", "127.0.0.2", "--json"]) == 1
    checks = {line["name"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert not any(check["ok"] for check in checks.values())
    assert "BAKEOFF_NATS_URL" in checks["bus"]["advice"]
    assert "BAKEOFF_S3_ENDPOINT" in checks["object store"]["advice"]
    assert "bakeoff serve scoring" in checks["service scoring"]["advice"]
    assert NOWHERE in checks["service control"]["detail"]


def test_a_service_that_is_ready_is_well(platform: FakePlatform) -> None:
    findings = {finding.name: finding for finding in checkup.services(Settings(), "127.0.0.2", platform.address)}
    assert findings["service control"].ok
    assert findings["service control"].detail == f"{platform.address} is ready"


def test_a_service_that_only_the_control_service_reaches_is_well(platform: FakePlatform) -> None:
    findings = checkup.services(Settings(reporting_address=NOWHERE), "127.0.0.2", platform.address)
    (reporting,) = [finding for finding in findings if finding.name == "service reporting"]
    assert reporting.ok
    assert reporting.detail == f"{platform.address}, which passes calls on, reaches it"


def test_who_only_names_a_platform_is_not_asked_for_its_bus(
    platform: FakePlatform, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAKEOFF_SERVER", platform.address)
    assert main(["doctor", "--only", "platform", "--json"]) == 0
    names = [json.loads(line)["name"] for line in capsys.readouterr().out.splitlines()]
    assert names[0] == "service control"


def test_a_folder_that_cannot_be_written_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    findings = {finding.name: finding for finding in checkup.embedded(tmp_path / "file/folder", Settings())}
    assert not findings["folder"].ok
    assert "cannot be written" in findings["folder"].detail
