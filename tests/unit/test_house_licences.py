"""What Bakeoff runs on may be passed on with it: no dependency is under the GPL or the AGPL."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REFUSED = re.compile(r"\bA?GPL(v?\d|-|\b)|GNU (Affero )?General Public", re.IGNORECASE)
"""The lesser GPL, which begins with another letter or word, is none of them."""


def locked(lock: str) -> list[str]:
    lines = (ROOT / "requirements" / lock).read_text().splitlines()
    return sorted({line.split("==")[0] for line in lines if re.match(r"[\w.-]+==", line)})


def licences(package: str) -> list[str]:
    """What a package's metadata says; of a licence written out in full only its title."""
    about = metadata(package)
    classifiers = [text for text in about.get_all("Classifier", []) if text.startswith("License ::")]
    title = (about.get("License") or "").strip().partition("\n")[0]
    return [text for text in (about.get("License-Expression"), title, *classifiers) if text]


def installed(packages: list[str]) -> list[str]:
    """Leave out what is for another system or Python."""
    found = []
    for package in packages:
        try:
            metadata(package)
        except PackageNotFoundError:
            continue
        found.append(package)
    return found


def test_no_run_dependency_is_under_a_refused_licence() -> None:
    packages = installed(locked("run.lock"))

    refused = {package: licences(package) for package in packages if REFUSED.search(" | ".join(licences(package)))}

    assert len(packages) >= 50, f"only {packages} are installed: is this the project's own environment?"
    assert not refused


def test_every_run_dependency_states_a_licence() -> None:
    assert [package for package in installed(locked("run.lock")) if not licences(package)] == []


@pytest.mark.parametrize(
    "text", ["GPL-3.0-or-later", "GPLv2", "AGPL-3.0", "License :: OSI Approved :: GNU Affero General Public License v3"]
)
def test_a_refused_licence_is_recognised(text: str) -> None:
    assert REFUSED.search(text)


@pytest.mark.parametrize(
    "text", ["LGPL-2.1", "MPL-2.0", "License :: OSI Approved :: GNU Lesser General Public License v3 (LGPLv3)"]
)
def test_other_licences_pass(text: str) -> None:
    assert not REFUSED.search(text)
