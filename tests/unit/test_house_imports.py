"""The floors and walls between packages hold, and the program that watches them can tell when they do not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(root / "services")}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def test_every_import_contract_is_kept() -> None:
    done = lint_imports(ROOT)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Contracts: 4 kept, 0 broken." in done.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("domain/score.py", "import numpy", "The domain needs only the standard library"),
        ("domain/score.py", "import bakeoff.contract.subjects", "Imports point downwards"),
        ("scoring/__init__.py", "import bakeoff.reporting", "Services never import each other"),
        ("scoring/__init__.py", "import grpc", "Pure cores know no network"),
        ("scoring/__init__.py", "import bakeoff.runtime.service", "Pure cores know no network"),
    ],
)
def test_a_broken_import_contract_is_found(tmp_path: Path, module: str, line: str, contract: str) -> None:
    shutil.copytree(ROOT / "services", tmp_path / "services", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "services/bakeoff" / module).open("a") as file:
        file.write(f"\n{line}\n")

    done = lint_imports(tmp_path)

    assert done.returncode != 0
    assert f"{contract} BROKEN" in done.stdout


def test_the_domain_contract_names_every_package_of_the_run_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = project["tool"]["importlinter"]["contracts"]
    (named,) = [rule["forbidden_modules"] for rule in contracts if rule["name"].startswith("The domain")]
    wanted = {re.split(r"[^\w.-]", line)[0].lower().replace("_", "-") for line in project["project"]["dependencies"]}

    brought = {
        package
        for package, owners in packages_distributions().items()
        if wanted & {owner.lower().replace("_", "-") for owner in owners}
    }

    assert brought <= set(named)
