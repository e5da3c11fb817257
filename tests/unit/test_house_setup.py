"""The set-up script does its work once for a lock, again for another, and says what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIP = """#!/bin/sh
# In the place of a virtual environment's interpreter: writes down what it is asked to install.
case $* in *pip*) echo "$*" >>"$(dirname "$0")/asked" ;; esac
"""


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose virtual environment exists and holds nothing."""
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    program(tmp_path / ".venv/bin/python", PIP)
    return tmp_path


def set_up(checkout: Path, kind: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    command = [checkout / "requirements/setup-venv", kind]
    return subprocess.run(
        command, env={**os.environ, "PYTHON": python}, capture_output=True, text=True, check=False, cwd="/"
    )


def asked(checkout: Path) -> list[str]:
    log = checkout / ".venv/bin/asked"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


def test_it_installs_by_hash_and_then_the_checkout_without_fetching_anything(checkout: Path) -> None:
    done = set_up(checkout, "run")

    assert done.returncode == 0, done.stderr
    locked, project = asked(checkout)
    assert "--require-hashes -r requirements/run.lock" in locked
    assert "--no-deps --no-build-isolation --editable ." in project


def test_a_second_time_it_does_and_says_nothing(checkout: Path) -> None:
    set_up(checkout, "run")
    asked(checkout)

    done = set_up(checkout, "run")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert asked(checkout) == []


def test_the_development_environment_serves_for_running(checkout: Path) -> None:
    set_up(checkout, "dev")
    asked(checkout)

    set_up(checkout, "run")

    assert asked(checkout) == []


def test_the_running_environment_does_not_serve_for_development(checkout: Path) -> None:
    set_up(checkout, "run")
    asked(checkout)

    set_up(checkout, "dev")

    assert "-r requirements/dev.lock" in asked(checkout)[0]


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements/run.lock", "requirements/dev.lock"])
def test_what_changes_the_environment_makes_it_install_again(checkout: Path, name: str) -> None:
    set_up(checkout, "run")
    asked(checkout)
    with (checkout / name).open("a") as file:
        file.write("\n# changed\n")

    set_up(checkout, "run")

    assert len(asked(checkout)) == 2


def test_an_installation_that_failed_is_tried_again(checkout: Path) -> None:
    program(checkout / ".venv/bin/python", "#!/bin/sh\ncase $* in *require-hashes*) exit 1 ;; esac\n")

    failed = set_up(checkout, "run")
    program(checkout / ".venv/bin/python", PIP)
    set_up(checkout, "run")

    assert failed.returncode != 0
    assert "pip could not install requirements/run.lock" in failed.stderr
    assert len(asked(checkout)) == 2


def test_an_old_python_is_refused_by_its_version(checkout: Path) -> None:
    old = program(checkout / "old", '#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2" || exit 1\n')

    done = set_up(checkout, "run", str(old))

    assert done.returncode != 0
    assert "Python 3.9.2 is too old; Bakeoff needs Python 3.11 or newer" in done.stderr


def test_a_missing_python_is_named(checkout: Path) -> None:
    done = set_up(checkout, "run", "no-such-python")

    assert done.returncode != 0
    assert "no no-such-python on the PATH" in done.stderr


def test_a_python_without_venv_is_told_what_to_install(checkout: Path) -> None:
    shutil.rmtree(checkout / ".venv")
    script = f'#!/bin/sh\ncase $* in *ensurepip*) exit 1 ;; esac\nexec "{sys.executable}" "$@"\n'

    done = set_up(checkout, "run", str(program(checkout / "bare", script)))

    assert done.returncode != 0
    assert "apt install python3-venv" in done.stderr
