"""All data of the message server are lost in mid-life: reports stay, and what ran goes on from the objects."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path

from bakeoff.cli.commands.restore import restored
from bakeoff.cli.exit_codes import ExitCode
from bakeoff.client import Client
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationState
from bakeoff.embedded import Embedded
from bakeoff.runtime.settings import Settings
from tests.e2e.synthetic import a_bake_off, write_benchmark

SETTINGS = Settings(plugins="tests.e2e.faults", sweep_s=0.2)


def restore(folder: Path) -> tuple[int, dict[str, str]]:
    """Restore the platform of a folder, as a command; return its exit code, and the states of what it made known."""
    command = [sys.executable, "-m", "bakeoff", "restore", "--dir", str(folder), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, {each["evaluation_id"]: each["state"] for each in lines if each["event"] == "evaluation"}


def test_a_platform_that_lost_its_bus_keeps_its_reports_and_finishes_what_ran(tmp_path: Path) -> None:
    benchmark = write_benchmark(tmp_path / "data", documents=12, cases=24)
    generator = ComponentSpec("faulty", {"delay_s": 0.05, "log": str(tmp_path / "began")})
    place = tmp_path / "platform"
    with Embedded(place, SETTINGS) as platform, Client(platform.address) as client:
        done = client.submit(a_bake_off(benchmark, generator, key="done", batch_cases=4))[0].evaluation_id
        *_, last = client.watch(done)
        assert last.state is EvaluationState.COMPLETED, last.reason
        report = b"".join(client.report_file(done, "json"))
        cut = client.submit(a_bake_off(benchmark, generator, key="cut", batch_cases=4))[0].evaluation_id
        for status in client.watch(cut):
            asked = next(stage.done for stage in status.stages if stage.stage == "infer")
            if asked >= 2:
                break

    shutil.rmtree(place / "nats")
    copy = shutil.copytree(place, tmp_path / "copy")
    assert restore(copy) == (ExitCode.SUCCESS, {done: "completed", cut: "paused"})
    assert restore(tmp_path / "nowhere") == (ExitCode.INVALID, {})

    with Embedded(place, SETTINGS) as platform, Client(platform.address) as client:
        assert list(client.evaluations()) == []
        assert b"".join(client.report_file(done, "json")) == report
        records = asyncio.run(restored(platform.settings, resume=False))
        assert {each.evaluation_id: each.state for each in records} == {
            done: EvaluationState.COMPLETED,
            cut: EvaluationState.PAUSED,
        }
        status = client.get(done)
        assert {stage.stage.value: (stage.done, stage.failed) for stage in status.stages if stage.planned} == {
            stage.stage.value: (stage.planned, 0) for stage in last.stages if stage.planned
        }
        client.resume(cut)
        *_, ended = client.watch(cut)
        assert ended.state is EvaluationState.COMPLETED, ended.reason
        items = next(stage.planned for stage in ended.stages if stage.stage == "infer")
        assert platform.counts()["infer"].executed <= items - asked, "what was asked is not asked again"
