"""What every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SLOW_PATIENCE_S = 600
"""After which a slow test is stopped, unless it says otherwise: what hangs is found, what has a slow machine is not."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time than the others."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_PATIENCE_S))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public data sets; tests that need it are skipped where it is not."""
    folder = Path(os.environ.get("BAKEOFF_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no public data sets at {folder}; set BAKEOFF_TEST_DATA to their folder")
    return folder
