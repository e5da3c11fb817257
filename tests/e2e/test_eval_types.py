"""The six evaluation types through all services: both modes in one report, with every count."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.command import run

ROWS: dict[str, list[dict[str, object]]] = {
    "key2_qa": [{"question": "Say yes", "target": "no"}, {"question": "Capital of France?", "target": "Paris"}],
    "key2_q_ma": [{"question": "Capital of France?", "targets": "City of Light|Paris"}],
    "key3_q_choices_a": [
        {"question": "Capital of France?", "choices": ["London", "Paris"], "label": "B"},
        {"question": "Say yes", "choices": ["x", "y"], "label": 0},
    ],
    "key3_q_choices_as": [{"question": "Which are red?", "choices": ["rose", "sky", "blood"], "labels": ["A", "C"]}],
    "key3_q_a_rejected": [{"question": "Capital of France?", "better": "Paris", "rejected": "Rome"}],
    "key1_text_score": [{"text": "Paris is a city."}],
}
RULES = """\
rules:
  - {question: yes, answer: I do not know}
  - {question: Capital, answer: "I think (B): it is Paris."}
  - {question: red, answer: '{"choices": ["A", "C"]}'}
default: nothing
"""


def test_a_generating_recipe_has_both_modes_of_every_type_that_is_scored_from_text(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES)
    lines = ["name: six", "benchmarks:"]
    for eval_type, rows in ROWS.items():
        (tmp_path / f"{eval_type}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        adapter = f"{{rows: {{path: {eval_type}.jsonl, eval_type: {eval_type}}}}}"
        lines.append(f"  - {{name: {eval_type}, adapter: {adapter}}}")
    lines += ["recipes:", "  - name: r", "    answer: {generator: {mock: {path: rules.yaml}}}"]
    (tmp_path / "e.yaml").write_text("\n".join(lines))

    ended = run(["run", "e.yaml"], tmp_path)

    assert ended.code == 0, ended.err
    report = json.loads((tmp_path / "reports/six/report.json").read_text())
    found = {
        metric["metric"]: (metric["mean"], metric["planned"], metric["scored"], metric["failed"])
        for entrant in report["entrants"]
        for metric in entrant["metrics"]
    }
    # "no" stands in "I do not know", letter by letter; a careful reader sees no answer.
    assert (found["key2_qa_official"], found["key2_qa_strict"]) == ((1.0, 2, 2, 0), (0.5, 2, 2, 0))
    assert (found["key2_q_ma_official"], found["key2_q_ma_strict"]) == ((1.0, 1, 1, 0), (1.0, 1, 1, 0))
    # Officially the first letter is I, which is none of two; neither mode finds a choice in "I do not know".
    assert found["key3_q_choices_a_official"] == (0.0, 2, 0, 2)
    assert found["key3_q_choices_a_strict"] == (0.5, 2, 1, 1)
    assert {found[f"key3_q_choices_as_f1_{mode}"] for mode in ("official", "strict")} == {(1.0, 1, 1, 0)}
    # Judged by likelihood: a generator that has none fails, or is not applicable, and is never right.
    for name in ("key3_q_a_rejected_official", "key3_q_a_rejected_strict", "key1_text_score_ppl_official"):
        assert found[name][2] == 0
    assert "2 planned, 1 scored, 1 failed" in ended.out
