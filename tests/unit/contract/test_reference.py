"""The published reference of the contract is that of the proto files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.contract.permissions import NEEDS
from tests.conftest import ROOT

FILES = ("reference/proto.md", "schema/request.schema.json", "schema/event.schema.json")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    subprocess.run([sys.executable, str(ROOT / "proto/reference"), str(folder)], check=True)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_a_published_file_is_the_one_that_is_made(made: Path, name: str) -> None:
    assert (ROOT / "docs" / name).read_text() == (made / name).read_text(), "run proto/reference"


def test_every_call_stands_in_it_with_the_role_that_it_needs(made: Path) -> None:
    page = (made / "reference/proto.md").read_text()

    rows = {
        line.split(" | ")[0].strip("| `"): line.split(" | ")[3] for line in page.splitlines() if line.count(" | ") == 4
    }
    for service, methods in NEEDS.items():
        if service.startswith("bakeoff."):
            assert {name: rows[name] for name in methods} == methods


def test_every_link_within_it_leads_to_a_heading(made: Path) -> None:
    lines = (made / "reference/proto.md").read_text().splitlines()
    headings = {line.removeprefix("### ").lower() for line in lines if line.startswith("### ")}
    linked = {part.partition(")")[0] for line in lines for part in line.split("](#")[1:]}

    assert linked
    assert linked - headings == set()
