"""The contract is linted, in order, unbroken, and generated anew after every change; and `proto/check` can tell."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def check(proto: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([proto / "check", name], capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    shutil.copytree(ROOT / "services/bakeoff/v1", tmp_path / "services/bakeoff/v1")
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    return tmp_path / "proto"


@pytest.mark.parametrize("name", ["lint", "format", "breaking", "baseline", "generated"])
def test_the_contract_passes(name: str) -> None:
    done = check(ROOT / "proto", name)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("lint", "// One metric of one case.\n", ""),
        ("format", "  string metric = 1;", "    string metric = 1;"),
        ("breaking", "string metric = 1;", "int64 metric = 1;"),
        ("baseline", "message CaseScores {", "message CaseScores {\n  // More.\n  string more = 99;\n"),
        ("generated", "message CaseScores {", "message CaseScores {\n  // More.\n  string more = 99;\n"),
    ],
)
def test_a_fault_is_found(copy: Path, name: str, before: str, after: str) -> None:
    file = copy / "bakeoff/v1/score.proto"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after, 1))

    done = check(copy, name)

    assert done.returncode != 0
