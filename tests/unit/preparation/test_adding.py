"""The walk-through for a new benchmark: what it shows runs, as a module and as a distribution."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs/adding-a-benchmark.md").read_text()
PREPARE = """
import sys
from pathlib import Path
from bakeoff.contract.stored import PreparedReader
from bakeoff.domain.benchmark import BenchmarkChoice
from bakeoff.domain.component import ComponentSpec
from bakeoff.preparation.download import Downloads
from bakeoff.preparation.prepare import prepare
from bakeoff.preparation.workspace import LocalWorkspace
from bakeoff.runtime.memory_objects import MemoryObjects

scratch, objects = Path(sys.argv[2]), MemoryObjects()
prepared = prepare(
    BenchmarkChoice(ComponentSpec("manuals", {"path": sys.argv[1]})),
    workspace=LocalWorkspace(scratch, Downloads(scratch / "cache")),
    objects=objects,
    scratch=scratch,
    max_document_bytes=1 << 20,
    plugins=sys.argv[3:],
)
reader = PreparedReader.open(objects, prepared.manifest)
print([each.document_id for each in reader.documents()], [each.expected.answers for each in reader.cases()])
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder on the import path with the page's file, and data that it reads."""
    code = re.search(r"`manuals\.py`:\n\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert code
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "manuals.py").write_text(code[1])
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "kettle.txt").write_text("It holds 1.7 litres.")
    (tmp_path / "data" / "questions.tsv").write_text("How much?\t1.7 litres\tkettle\tIt holds 1.7 litres.\n")
    (tmp_path / "scratch").mkdir()
    return tmp_path


def prepared(site: Path, *plugins: str) -> str:
    path = os.pathsep.join(part for part in (str(site / "site"), os.environ.get("PYTHONPATH", "")) if part)
    done = subprocess.run(  # our own interpreter
        [sys.executable, "-c", PREPARE, str(site / "data"), str(site / "scratch"), *plugins],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_the_benchmark_of_the_page_is_found_as_a_module(site: Path) -> None:
    assert prepared(site, "manuals") == "['kettle'] [('1.7 litres',)]\n"


def test_the_benchmark_of_the_page_is_found_in_a_distribution(site: Path) -> None:
    entry = re.search(r'\[project\.entry-points\."(.*?)"\]\n(.*?)\n', PAGE)
    assert entry
    info = site / "site" / "manuals-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: manuals\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{entry[1]}]\n{entry[2].replace(chr(34), '')}\n")
    assert prepared(site) == "['kettle'] [('1.7 litres',)]\n"


def test_the_page_names_what_a_declared_benchmark_needs() -> None:
    from bakeoff.preparation import declared

    section = PAGE.partition("## Readings that are asynchronous")[2]
    listed = section.partition("are in `bakeoff.preparation.declared`")[0]
    names = re.findall(r"`(register_benchmark|Benchmark\w+|PreparedBenchmark)`", listed)
    assert len(names) == 7
    assert all(hasattr(declared, name) for name in names)
