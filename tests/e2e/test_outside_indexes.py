"""Evaluations whose indexes lie on the object store and in PostgreSQL, by the real command with real servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import command
from tests.integration.outside_stores import a_postgres

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FILE = """\
name: Outside
benchmarks:
  - {jsonl: {documents: documents.jsonl, cases: cases.jsonl}, name: piers}
recipes:
"""
RECIPE = """\
  - name: {name}
    build: {{embedder: hashing, indexes: [bm25, "{index}"]}}
    query:
      - {{vector_search: {{}}, top_k: 5}}
      - {{hybrid_search: {{}}, top_k: 5}}
"""
WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron")
INDEXES = {
    "files": "dense",
    "store": "lance",
    "server": "pgvector",
    "groups": "lance(approximate=ivf, above=1)",
    "graph": "pgvector(approximate=hnsw, above=1)",
}


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with a_postgres() as url:
        yield url


def write(folder: Path, indexes: dict[str, str]) -> None:
    """Write a benchmark and an evaluation of it."""
    rows = [{"id": f"d{n}", "text": f"{word} lies by the {word} pier"} for n, word in enumerate(WORDS)]
    (folder / "documents.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cases = [
        {"id": f"c{n}", "question": f"where is {word}?", "evidence": [{"document": f"d{n}"}]}
        for n, word in enumerate(WORDS)
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in cases))
    recipes = "".join(RECIPE.format(name=name, index=index) for name, index in indexes.items())
    (folder / "outside.yaml").write_text(FILE + recipes)


def test_indexes_outside_give_the_report_of_the_index_in_the_files(tmp_path: Path, postgres: str) -> None:
    write(tmp_path, INDEXES)

    done = command.run(["run", "outside.yaml"], tmp_path, {"BAKEOFF_POSTGRES_URL": postgres})

    assert done.code == 0, done.err
    report = json.loads((tmp_path / "reports/outside/report.json").read_text())
    means = {
        each["entrant"]: {metric["metric"]: metric["mean"] for metric in each["metrics"]} for each in report["entrants"]
    }
    assert len(means) == 2 * len(INDEXES)
    for mode in ("vector_search", "hybrid_search"):
        assert means[f"files/{mode}"]["mrr"] > 0.9
        assert {json.dumps(means[f"{name}/{mode}"]) for name in INDEXES} == {json.dumps(means[f"files/{mode}"])}
    findings = [finding for base in report["knowledge_bases"] for finding in base["findings"]]
    assert "index lance: recall_at_10 1.0000" in findings
    assert "index pgvector: recall_at_10 1.0000" in findings
    assert all(postgres not in path.read_text("utf-8", "replace") for path in (tmp_path / "reports").rglob("*.*"))


def test_without_a_server_the_command_says_what_to_set(tmp_path: Path) -> None:
    write(tmp_path, {"server": "pgvector"})

    done = command.run(["validate", "outside.yaml"], tmp_path)

    assert done.code != 0
    assert "pgvector is refused: no PostgreSQL server is configured; the operator sets BAKEOFF_POSTGRES_URL" in (
        done.out + done.err
    )
