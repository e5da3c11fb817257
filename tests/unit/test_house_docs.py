"""The documentation holds together: its links lead somewhere, its lists are whole."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from bakeoff.cli.main import make_parser
from bakeoff.runtime.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("README.md")])
DECISIONS = sorted((ROOT / "docs/decisions").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    targets = [target for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()) if "://" not in target]

    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_decisions_are_numbered_without_a_gap() -> None:
    assert [int(page.name[:4]) for page in DECISIONS] == list(range(1, len(DECISIONS) + 1))


@pytest.mark.parametrize("page", DECISIONS, ids=[page.stem for page in DECISIONS])
def test_a_decision_has_its_parts_and_fits_on_half_a_page(page: Path) -> None:
    text = page.read_text()

    assert text.startswith(f"# {page.name[:4]} ")
    assert re.findall(r"^\*\*([\w ]+)\.\*\*", text, re.MULTILINE) == ["Question", "Decision", "Why", "What follows"]
    assert len(text.split()) < 400


def test_the_index_lists_every_decision() -> None:
    index = (ROOT / "docs/README.md").read_text()

    assert [page.name for page in DECISIONS if f"decisions/{page.name}" not in index] == []


def test_the_table_of_settings_is_that_of_the_code() -> None:
    rows = re.findall(
        r"^\| `(BAKEOFF_\w+)` \| (?:`(.*?)`)? *\|", (ROOT / "docs/guide/platform.md").read_text(), re.MULTILINE
    )
    usual = Settings()
    # Keys of endpoints are one variable each, `BAKEOFF_KEY_<NAME>`; the text beside the table says so.
    named = [each.name for each in fields(Settings) if each.name != "keys"]
    code = [(f"BAKEOFF_{name.upper()}", getattr(usual, name)) for name in named]

    assert rows == [(name, str(value).lower() if isinstance(value, bool) else str(value)) for name, value in code]


def test_every_command_stands_in_the_guide() -> None:
    page = (ROOT / "docs/guide/command.md").read_text()
    commands = re.findall(r"^    (\w+)(?: |$)", make_parser().format_help(), re.MULTILINE)

    assert [name for name in commands if not re.search(rf"`(bakeoff )?{name}[ `]", page)] == []


def test_every_run_dependency_is_listed_with_its_licence_and_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    rows = (ROOT / "docs/dependencies.md").read_text().partition("## Brought by")[0].splitlines()
    listed = {row.split("|")[1].strip(): row.split("|")[2:4] for row in rows if row.startswith("| ")}
    needed = {re.split(r"[^\w.-]", line)[0] for line in project["project"]["dependencies"]}

    assert needed - set(listed) == set()
    assert [name for name in needed if not all(cell.strip() for cell in listed[name])] == []
    assert set(listed) - needed == {"package"}


def test_every_package_that_they_bring_is_listed() -> None:
    text = (ROOT / "docs/dependencies.md").read_text().replace("_", "-").lower()
    lock = (ROOT / "requirements/run.lock").read_text().splitlines()
    elsewhere = re.compile(r"== '(emscripten|win32)'")
    brought = {line.split("==")[0] for line in lock if re.match(r"[\w.-]+==", line) and not elsewhere.search(line)}

    assert {name for name in brought if not re.search(rf"\b{re.escape(name)}\b", text)} == set()
