"""The values that other tools publish with their own test data, and runs that are read back."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bakeoff.domain.component import ComponentSpec
from bakeoff.scoring.scored_run import ScoredRun, score_run
from bakeoff.scoring.trec_files import Notes, read_run, read_trec_qrels

pytestmark = pytest.mark.data
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MEASURES = {
    "map": "average_precision",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "recip_rank": "reciprocal_rank",
    "ndcg": "ndcg(k=null)",
    "set_P": "precision(k=null)",
    "set_recall": "recall(k=null)",
    "rbp": "rank_biased_precision(p=0.9)",
    **{f"P_{k}": f"precision(k={k})" for k in CUTS},
    **{f"recall_{k}": f"recall(k={k})" for k in CUTS},
    **{f"ndcg_cut_{k}": f"ndcg(k={k})" for k in CUTS},
    **{f"map_cut_{k}": f"average_precision(k={k})" for k in CUTS},
    **{f"success_{k}": f"hit(k={k})" for k in (1, 5, 10)},
}
"""trec_eval's measures, by its names; its rbp has p = 0.9."""
TREC = Path("trec_eval-tests/test")
LINE = re.compile(r"(\S+)\s+(\S+)\s+(-?[0-9.]+)\s*$")


def published(path: Path) -> dict[str, dict[str, float]]:
    """Return trec_eval's printed values by query, `all` included, and measure."""
    found: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        if match := LINE.match(line):
            found.setdefault(match[2], {})[match[1]] = float(match[3])
    return found


def scored(folder: Path, run: str, qrels: str, methods: Sequence[str], level: int = 1) -> ScoredRun:
    specs = [ComponentSpec.parse(method) for method in methods]
    return score_run(
        read_run(folder / run, Notes()), read_trec_qrels(folder / qrels, Notes()), specs, relevance_level=level
    )


@pytest.mark.parametrize(
    ("out", "run", "qrels", "level", "least"),
    [
        ("out.test", "results.test", "qrels.test", 1, 13),
        ("out.test.a", "results.test", "qrels.test", 1, 40),
        ("out.test.aq", "results.test", "qrels.test", 1, 160),
        # -c: judged queries that the run lacks count as 0; -l2: relevant from grade 2.
        ("out.test.aqc", "results.trunc", "qrels.test", 1, 160),
        ("out.test.aql", "results.test", "qrels.rel_level", 2, 160),
    ],
)
def test_trec_evals_published_values_come_out(
    data_dir: Path, out: str, run: str, qrels: str, level: int, least: int
) -> None:
    expected = published(data_dir / TREC / out)
    named = {name: method for name, method in MEASURES.items() if any(name in each for each in expected.values())}
    if level > 1:
        del named["rbp"]  # trec_eval's does not heed -l
    found = scored(data_dir / TREC, run, qrels, list(named.values()), level)
    by_metric = dict(zip(named, found.means, strict=True))
    compared = 0
    for query, values in expected.items():
        for name, value in values.items():
            if name in by_metric and (query == "all" or query in found.values[by_metric[name]]):
                metric = by_metric[name]
                ours = found.means[metric] if query == "all" else found.values[metric][query]
                assert ours == pytest.approx(value, abs=0.00005001), f"{name} {query}"
                compared += 1
    assert compared >= least


IR_QRELS = {"0": {"D0": 0, "D1": 1, "D2": 1, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D5": 2}}
IR_RUN = {
    "0": {"D0": 0.8, "D2": 0.7, "D1": 0.3, "D3": 0.4, "D4": 0.1},
    "1": {"D1": 0.8, "D3": 0.7, "D4": 0.3, "D2": 0.4},
}


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        # gdeval.pl's five digits, and Judged, as ir_measures' tests have them.
        ("expected_reciprocal_rank(k=20)", {"0": 0.10175, "1": 0.09375}),
        ("expected_reciprocal_rank(k=2)", {"0": 0.03125, "1": 0.09375}),
        ("judged(k=1000)", {"0": 1.0, "1": 1 / 4}),
        ("judged(k=10)", {"0": 1.0, "1": 1 / 4}),
        ("judged(k=3)", {"0": 1.0, "1": 1 / 3}),
        ("judged(k=1)", {"0": 1.0, "1": 0.0}),
    ],
)
def test_ir_measures_values_come_out(method: str, expected: Mapping[str, float]) -> None:
    (values,) = score_run(IR_RUN, IR_QRELS, [ComponentSpec.parse(method)]).values.values()
    assert values == pytest.approx(expected, abs=0.000005001)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("average_precision", (0.7087, 0.7438, 0.3068)),
        ("precision(k=1)", (1.0, 1.0, 0.0)),
        ("precision(k=10)", (0.5, 0.6, 0.4)),
        ("precision(k=20)", (0.25, 0.3, 0.2)),
        ("precision(k=5)", (0.6, 0.6, 0.0)),
        ("rank_biased_precision(p=0.9)", (0.3501, 0.3996, 0.1988)),
        ("reciprocal_rank", (1.0, 1.0, 0.1667)),
    ],
)
def test_cwl_evals_values_come_out(data_dir: Path, method: str, expected: tuple[float, ...]) -> None:
    (values,) = scored(data_dir / "ir_measures-tests/tests", "cwl.run", "cwl.qrels", [method]).values.values()
    assert tuple(values.values()) == pytest.approx(expected, abs=0.00011)


@pytest.mark.parametrize(("p", "expected"), [(0.5, 0.7661), (0.8, 0.4526), (0.95, 0.1881)])
def test_ranx_values_of_rank_biased_precision_come_out(p: float, expected: float) -> None:
    relevant = (1, 2, 6, 11, 17)
    run = {"q1": {f"d{rank}": 21.0 - rank for rank in range(1, 21)}}
    qrels = {"q1": {f"d{rank}": 1 for rank in relevant}}
    found = score_run(run, qrels, [ComponentSpec("rank_biased_precision", {"p": p})])
    assert next(iter(found.means.values())) == pytest.approx(expected, abs=0.00005001)


def test_ranx_files_read_alike_in_every_form(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "ranx-tests/tests/unit/ranx/test_data"
    run, qrels = read_run(folder / "run.trec", Notes()), read_trec_qrels(folder / "qrels.trec", Notes())
    assert run == json.loads((folder / "run.json").read_text())
    assert qrels == json.loads((folder / "qrels.json").read_text())
    for name in ("run.trec", "qrels.trec"):
        (tmp_path / name).write_bytes(gzip.decompress((folder / f"{name}.gz").read_bytes()))
    assert (read_run(tmp_path / "run.trec", Notes()), read_trec_qrels(tmp_path / "qrels.trec", Notes())) == (run, qrels)


def test_pytrec_evals_own_cases_come_out() -> None:
    qrels = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
    for scores, expected in (
        ({"d1": 1.0, "d2": 0.0, "d3": 1.5}, 0.5),
        ({"d1": 1.0, "d2": 2.0, "d3": 1.5}, 1.0),
        ({"d1": 4.0, "d2": 2.0, "d3": 1.5}, 0.6309297535714575),
    ):
        found = score_run({"q1": scores, "q2": {}}, qrels, [ComponentSpec("ndcg", {"k": None})])
        assert found.values["ndcg"] == pytest.approx({"q1": expected, "q2": 0.0})
    found = score_run(
        {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}}, qrels, [ComponentSpec("ndcg", {"k": k}) for k in (1, 2, 3, 1000)]
    )
    assert [values["q1"] for values in found.values.values()] == [0.0, 0.0, 0.5, 0.5]
