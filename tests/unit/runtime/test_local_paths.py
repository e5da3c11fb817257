"""Paths that requests may name: below the opened folders, links and spellings seen through."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.runtime.local_paths import is_open
from bakeoff.runtime.settings import Settings


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    folder = tmp_path / "opened"
    (folder / "inner").mkdir(parents=True)
    (tmp_path / "secret").write_text("s")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "good").symlink_to(folder / "inner")
    return folder


def test_paths_below_an_opened_folder_are_open(opened: Path) -> None:
    for path in (opened, opened / "inner", opened / "not-there", opened / "inner/../inner", opened / "good"):
        assert is_open(str(path), (opened,)), path
    assert is_open(f"file://{opened}/inner", (opened,))
    assert is_open("https://example.org/x", (opened,))
    assert is_open("scifact", ())


@pytest.mark.parametrize("end", ["..", "../secret", "link", "inner/../../secret", "../opened-too", "good/../../secret"])
def test_ways_out_of_it_are_not(opened: Path, end: str) -> None:
    assert not is_open(f"{opened}/{end}", (opened,))
    assert not is_open(f"file://{opened}/{end}", (opened,))


def test_other_spellings_of_paths_elsewhere_are_seen_through(opened: Path) -> None:
    for path in (
        "/etc/passwd",
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "file:/etc/passwd",
        "~root/x",
        "//etc/passwd",
    ):
        assert not is_open(path, (opened,)), path
    assert not is_open(f"file://{opened}/%2e%2e/secret", (opened,))


def test_a_tokens_file_closes_all_paths_unless_some_are_opened() -> None:
    assert Settings().local_folders is None
    assert Settings(tokens_file="t").local_folders == ()
    assert Settings(tokens_file="t", local_paths="/a:/b").local_folders == (Path("/a"), Path("/b"))
    assert Settings(local_paths="/a").local_folders == (Path("/a"),)
    assert Settings(tokens_file="t", local_paths="*").local_folders is None
    assert Settings().private_models
    assert not Settings(tokens_file="t").private_models
    assert Settings(tokens_file="t", allow_private_models=True).private_models
