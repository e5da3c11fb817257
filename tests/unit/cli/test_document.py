"""From a passage's key to the bytes of its original."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.cli.main import main
from tests.unit.cli.conftest import FakePlatform

KEY = "raw/benchmarks/harbour/test/a.txt/a.txt"
DATA = b"Mabel keeps \x00\xff the light."


@pytest.fixture(autouse=True)
def stored(platform: FakePlatform, monkeypatch: pytest.MonkeyPatch) -> None:
    """A platform that has the original."""
    platform.originals[KEY] = DATA
    monkeypatch.setenv("BAKEOFF_SERVER", platform.address)


def test_the_bytes_are_printed_as_they_are(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["document", KEY]) == 0
    assert capfdbinary.readouterr().out == DATA


@pytest.mark.parametrize("span", ["6-11", "6–11"])
def test_a_part_is_cut_out(span: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["document", KEY, "--bytes", span]) == 0
    assert capfdbinary.readouterr().out == b"keeps"


@pytest.mark.parametrize("span", ["6", "6-6", "9-2", "a-b"])
def test_what_is_no_part_is_wrong_usage(span: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["document", KEY, "--bytes", span]) == 2
    assert "must be START-STOP" in capsys.readouterr().err


def test_it_goes_to_a_file_whole_or_not_at_all(tmp_path: Path) -> None:
    assert main(["document", KEY, "--out", str(tmp_path / "a.txt")]) == 0
    assert (tmp_path / "a.txt").read_bytes() == DATA
    assert main(["document", "raw/other", "--out", str(tmp_path / "b.txt")]) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
