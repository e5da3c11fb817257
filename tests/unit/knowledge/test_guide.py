"""What the guide shows works as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import bakeoff.knowledge

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/knowledge-bases.md"


def test_the_example_of_the_guide_runs_without_a_server(tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)

    said = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert said[0] == "2 documents, 3 chunks"
    assert said[1].startswith("1 light ")
    assert "The light on the pier is green." in said[1]


def test_what_a_notebook_imports_is_there() -> None:
    assert [name for name in bakeoff.knowledge.__all__ if not hasattr(bakeoff.knowledge, name)] == []
    assert not hasattr(bakeoff.knowledge, "nonsense")
