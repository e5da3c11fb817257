"""The guide for newcomers does what it says: its shell blocks run one after the other, as they stand there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.command import environment

PAGE = ROOT / "docs/guide/getting-started.md"


@pytest.mark.slow
def test_every_step_with_ones_own_documents_works(tmp_path: Path) -> None:
    script = "\n".join(re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL))
    where = environment({"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])})
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, env=where, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    assert "our-manuals.yaml is valid: 'Our manuals'" in done.stdout
    assert done.stdout.count("completed ") == 2, "the list at the end has both evaluations"

    first, second = (
        json.loads((tmp_path / f"reports/{name}/report.json").read_text()) for name in ("our-manuals", "smaller-chunks")
    )
    for report in (first, second):
        assert [(each["entrant"], each["failed_cases"]) for each in report["entrants"]] == [
            ("words/full_text_search", 0),
            ("both/hybrid_search", 0),
        ]
        # Either question shares words with one of the two documents only: both recipes find it first.
        assert [metric["mean"] for each in report["entrants"] for metric in each["metrics"][:3]] == [1.0] * 6
    # A sentence of the toaster's page is longer than the whole chunk may be: there are more chunks.
    assert sum(base["chunks"] for base in second["knowledge_bases"]) > sum(
        base["chunks"] for base in first["knowledge_bases"]
    )
