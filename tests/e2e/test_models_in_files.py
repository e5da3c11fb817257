"""An evaluation whose recipe embeds and reranks with models in files, by the real command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders.onnx_model import a_cross_encoder, an_embedding_model
from tests.e2e.command import run

FILE = """\
name: Models
benchmarks:
  - folder: {path: documents, questions: questions.csv}
recipes:
  - name: mine
    build:
      embedder: onnx(directory=models/embedder)
      indexes: [bm25, "dense(approximate=hnsw, above=2)"]
    query:
      - hybrid_search(fusion=weighted)
      - rerank: {first: vector_search, reranker: cross_encoder(directory=models/reader)}
        top_k: 3
"""


@pytest.mark.slow
def test_models_in_files_are_run_known_by_their_digests_and_measured(tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    an_embedding_model(tmp_path / "models/embedder")
    a_cross_encoder(tmp_path / "models/reader")
    (tmp_path / "documents").mkdir()
    for name, text in {"a": "the light", "b": "the green light", "c": "mole pier", "d": "tide nothing"}.items():
        (tmp_path / "documents" / f"{name}.txt").write_text(text)
    (tmp_path / "questions.csv").write_text("question,answer,document\nthe light,green,b.txt\n")
    (tmp_path / "models.yaml").write_text(FILE)

    done = run(["run", "models.yaml"], tmp_path)

    assert done.code == 0, done.err
    report = json.loads((tmp_path / "reports/models/report.json").read_text())
    means = {
        each["entrant"]: {metric["metric"]: metric["mean"] for metric in each["metrics"]} for each in report["entrants"]
    }
    # The reader counts how often a passage says `green`: its first passage is the right one.
    assert means["mine/rerank"]["mrr"] == 1.0
    [base] = report["knowledge_bases"]
    assert base["build"].count('sha256="') == 1
    assert "index dense: recall_at_10 1.0000" in base["findings"]
