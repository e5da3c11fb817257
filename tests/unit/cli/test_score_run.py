"""`bakeoff score-run` and the arguments of `bakeoff trace`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bakeoff.cli.main import main

RUN = "q1 Q0 a 1 2.0 t\nq1 Q0 b 2 1.0 t\nx Q0 a 1 1.0 t\n"
QRELS = "q1 0 b 1\nq2 0 a 1\n"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "a.qrels").write_text(QRELS)
    return ["score-run", "--run", str(tmp_path / "a.run"), "--qrels", str(tmp_path / "a.qrels")]


def test_means_are_printed_with_what_was_odd(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*files, "--metrics", "reciprocal_rank", "precision(k=1)"]) == 0
    said = capsys.readouterr()
    assert [line.split() for line in said.out.splitlines()] == [
        ["metric", "query", "value"],
        ["mrr", "all", "0.250000"],
        ["precision@1", "all", "0.000000"],
    ]
    assert "1 judged queries are not in the run, and count as 0" in said.err
    assert "1 queries of the run are not judged, and do not count" in said.err


def test_values_by_query_are_lines_of_json(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*files, "--metrics", "reciprocal_rank", "--per-query", "--json"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"event": "score", "metric": "mrr", "query": "q1", "value": 0.5},
        {"event": "score", "metric": "mrr", "query": "q2", "value": 0.0},
        {"event": "metric", "metric": "mrr", "mean": 0.25, "queries": 2},
        {
            "event": "scored",
            "missing": 1,
            "unjudged_in_run": 1,
            "notes": [
                "1 judged queries are not in the run, and count as 0",
                "1 queries of the run are not judged, and do not count",
            ],
        },
    ]


@pytest.mark.parametrize(
    ("metric", "words"),
    [("exact_match", "is no measure of a ranking"), ("ndcg(k=0)", "ndcg"), ("nope", "no evaluator is named 'nope'")],
)
def test_what_cannot_be_measured_is_told(
    files: list[str], capsys: pytest.CaptureFixture[str], metric: str, words: str
) -> None:
    assert main([*files, "--metrics", metric]) in (2, 3)
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "name an evaluation and a case, or a document"),
        (["ev-1"], "name an evaluation and a case"),
        (["ev-1", "c1", "--page", "3"], "--page needs --document"),
        (["ev-1", "c1", "--document", "d"], "do not go with it"),
        (["--document", "d", "--check"], "do not go with it"),
    ],
)
def test_a_trace_that_is_not_clear_is_refused_before_anything_is_asked(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["trace", *arguments]) == 2
    assert words in capsys.readouterr().err
