"""The whole platform as in a cluster: a user of the bus and a policy of the bucket a service, tokens for callers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.client import Client
from bakeoff.runtime.settings import Settings
from deploy.processes import Processes
from tests.conftest import ROOT
from tests.e2e import command
from tests.e2e.test_processes import answers, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

QUICKSTART = ROOT / "examples/quickstart/quickstart.yaml"


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    folder = tmp_path_factory.mktemp("guarded")
    with Processes(folder, settings={"BAKEOFF_LOCAL_PATHS": str(ROOT / "examples")}, guarded=True) as processes:
        token = (processes.credentials / "operator_token").read_text()
        with Client(processes.address, Settings(token=token)) as client:
            until(lambda: answers(client), "every service has announced its components")
        yield processes


def test_an_evaluation_works_under_least_permissions_and_nothing_was_refused(
    platform: Processes, tmp_path: Path
) -> None:
    file = str(platform.credentials / "tokens.json")
    roles = ["--role", "submit", "--role", "read"]
    token = command.run(
        ["token", "add", "--file", file, "--tenant", "acme", *roles, "--name", "ann"], tmp_path
    ).out.strip()
    arguments = ["submit", str(QUICKSTART), "--server", platform.address, "--wait", "--out", "out"]

    refused = command.run(arguments, tmp_path)
    ended = command.run(arguments, tmp_path, {"BAKEOFF_TOKEN": token})

    assert refused.code == 6
    assert "BAKEOFF_TOKEN" in refused.err
    assert ended.code == 0, ended.err
    report = json.loads((tmp_path / "out/report.json").read_text())
    here = command.run(["run", str(QUICKSTART), "--out", "here"], tmp_path)
    assert here.code == 0, here.err
    assert report["digest"] == json.loads((tmp_path / "here/report.json").read_text())["digest"]
    server_log = (platform.directory / "nats/nats.log").read_text()
    assert "Violation" not in server_log
    for log in platform.directory.glob("*.log"):
        assert "refuses access" not in log.read_text(), log.name


def test_a_token_is_listed_by_name_and_works_no_more_when_it_is_removed(platform: Processes, tmp_path: Path) -> None:
    file = str(platform.credentials / "tokens.json")
    added = command.run(
        ["token", "add", "--file", file, "--tenant", "globex", "--role", "read", "--name", "bob"], tmp_path
    )
    settings = {"BAKEOFF_TOKEN": added.out.strip(), "BAKEOFF_SERVER": platform.address}
    assert command.run(["list"], tmp_path, settings).code == 0
    assert "bob  globex  read" in command.run(["token", "list", "--file", file], tmp_path).out

    assert command.run(["token", "remove", "--file", file, "--name", "bob"], tmp_path).code == 0

    assert command.run(["list"], tmp_path, settings).code == 6
