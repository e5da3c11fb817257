"""The dashboard as it is started: it says where it is, answers, and ends when it is told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Mapping

import pytest

from bakeoff.cli.main import main
from tests.unit.cli.conftest import FakePlatform


def test_it_prints_its_address_serves_and_stops(platform: FakePlatform) -> None:
    environment: Mapping[str, str] = {name: text for name, text in os.environ.items() if name[:8] != "BAKEOFF_"}
    argv = [sys.executable, "-m", "bakeoff", "dashboard", "--server", platform.address, "--listen", "127.0.0.1:0"]
    running = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert running.stdout is not None
        address = running.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address, timeout=20) as page:
            assert "There is no evaluation yet." in page.read().decode()
        running.send_signal(signal.SIGTERM)
        assert running.wait(20) == 0
    finally:
        running.kill()
        running.communicate()


def test_a_place_that_is_taken_or_none_is_said(platform: FakePlatform, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dashboard", "--server", platform.address, "--listen", platform.address]) == 2
    assert f"cannot listen on {platform.address}" in capsys.readouterr().err
    for place in ("8080", "host:", "host:70000", "host:x"):
        assert main(["dashboard", "--listen", place]) == 2
        assert "must be HOST:PORT" in capsys.readouterr().err


def test_a_platform_that_does_not_answer_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dashboard", "--server", "127.0.0.1:1", "--listen", "127.0.0.1:0"]) == 4
    assert "does not answer" in capsys.readouterr().err
