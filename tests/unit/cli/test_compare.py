"""`bakeoff compare`: what changed between two reports, from their files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.cli.main import main
from bakeoff.contract.stored import encode
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.material import Finished
from bakeoff.reporting.renderers.csv_cases import CsvRenderer
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate

CASES = [a_case(f"c{number:02d}", relevant=["d1"] if number else ()) for number in range(12)]
"""The first is not judged."""
SILENT = Failure(FailureKind.MODEL, "the model said\rnothing, " + "and nothing " * 20_000)
METHODS = ("reciprocal_rank", "hit(k=1)")


def says(entrant: str, case: Case) -> CaseAnswer:
    """`good` finds everything but `c02`; `poor` finds the document second, and fails on a case."""
    if entrant.startswith("good"):
        return an_answer(case.case_id, found=["d2"] if case.case_id == "c02" else ["d1", "d2"])
    return an_answer(case.case_id, found=["d2", "d1"], failure=SILENT if case.case_id == "c03" else None)


def written(
    folder: Path, *recipes: str, cases: list[Case] = CASES, methods: tuple[str, ...] = METHODS
) -> EvaluationReport:
    """Evaluate, and write the report's files as `bakeoff run` does."""
    request = a_request(recipes=[a_recipe(name) for name in recipes])
    found = evaluate(request, cases, says, methods=methods)
    material = gather(found.plan, found.context)
    report = assemble(material)
    folder.mkdir()
    (folder / "report.json").write_bytes(encode(report))
    (folder / "cases.csv").write_bytes(CsvRenderer().render(Finished(report, material)).data)
    return report


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_two_entrants_of_two_reports_differ_exactly_as_within_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    together = written(tmp_path / "together", "poor", "good")
    written(tmp_path / "good", "good")
    written(tmp_path / "poor", "poor")

    words = ["compare", str(tmp_path / "good"), str(tmp_path / "poor"), "--entrant", "good", "--against", "poor"]
    assert main([*words, "--json"]) == 0

    changes = [line for line in lines(capsys) if line["event"] == "change"]
    within = {each.metric: json.loads(encode(each)) for each in together.comparisons}
    assert within
    assert {change["comparison"]["metric"]: change["comparison"] for change in changes} == within
    means = {summary.metric: summary.mean for summary in together.entrants[1].metrics}
    assert {change["comparison"]["metric"]: change["mean"] for change in changes} == means


def test_the_same_report_has_no_change_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = written(tmp_path / "report", "poor", "good")

    assert main(["compare", str(tmp_path / "report"), str(tmp_path / "report")]) == 0

    out = capsys.readouterr().out
    assert report.digest in out
    assert "0/11/0" in out
    assert "better" not in out
    assert "worse" not in out


def test_cases_that_one_report_alone_has_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "now", "poor", "good")
    written(tmp_path / "then", "poor", "good", cases=CASES[:9])

    assert main(["compare", str(tmp_path / "now"), str(tmp_path / "then"), "--entrant", "poor"]) == 0

    out = capsys.readouterr().out
    assert "its data are not the baseline's" in out
    assert "cases that count in both, of each metric: 8" in out
    assert "up to 3 cases of a metric count in one of the two alone" in out


def test_a_metric_of_another_method_is_named_and_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = written(tmp_path / "now", "poor", "good")
    then = written(tmp_path / "then", "poor", "good")
    (benchmark,) = then.benchmarks
    older = tuple(replace(card, version="0") if card.name == "mrr" else card for card in benchmark.metrics)
    (tmp_path / "then/report.json").write_bytes(encode(replace(then, benchmarks=(replace(benchmark, metrics=older),))))

    assert main(["compare", str(tmp_path / "now"), str(tmp_path / "then"), "--json"]) == 0

    found = lines(capsys)
    compared = {line["comparison"]["metric"] for line in found if line["event"] == "change"}
    assert compared == {card.name for card in report.benchmarks[0].metrics} - {"mrr"}
    assert [line["other_methods"] for line in found if line["event"] == "benchmark"] == [["mrr"]]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "no entrant is in both reports on a benchmark of one name: the report has good/"),
        (["--entrant", "nobody"], "the report has no entrant 'nobody'; it has good/"),
        (["--entrant", "good"], "the baseline has no entrant 'good'; it has poor/"),
        (["--against", "poor"], "--against needs --entrant"),
    ],
)
def test_what_cannot_be_compared_is_told_with_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], words: str
) -> None:
    written(tmp_path / "good", "good")
    written(tmp_path / "poor", "poor")

    assert main(["compare", str(tmp_path / "good"), str(tmp_path / "poor"), *more]) == 2

    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_a_table_of_another_report_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path / "now", "poor")
    written(tmp_path / "other", "poor", methods=("exact_match",))
    (tmp_path / "other/cases.csv").replace(tmp_path / "now/cases.csv")

    assert main(["compare", str(tmp_path / "now"), str(tmp_path / "now")]) == 2

    assert "is not the table of the report beside it, which has no metric 'exact_match'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (None, "cases.csv is not the table of the report beside it, which has 12 cases of mrr of poor/"),
        ("harbour,,c05,{entrant},mrr,scored,1.0,,\n", "which has a mean of 0.4"),
    ],
)
def test_a_report_beside_the_table_of_another_one_of_the_same_evaluation_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str | None, words: str
) -> None:
    report = written(tmp_path / "now", "poor")
    file = tmp_path / "now/cases.csv"
    rows = file.read_bytes().decode().splitlines(keepends=True)
    mine = [place for place, row in enumerate(rows) if ",c05," in row and ",mrr," in row]
    assert len(mine) == 1
    unit = rows[mine[0]].split(",")[1]
    told = "" if line is None else line.replace(",,c05", f",{unit},c05").format(entrant=report.entrants[0].entrant)
    rows[mine[0]] = told
    file.write_bytes("".join(rows).encode())

    assert main(["compare", str(tmp_path / "now"), str(tmp_path / "now")]) == 2

    assert words in capsys.readouterr().err


def test_a_table_that_is_none_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path / "now", "poor")
    (tmp_path / "now/cases.csv").write_text("case,score\nc01,1\n")

    assert main(["compare", str(tmp_path / "now"), str(tmp_path / "now")]) == 2

    assert "now/cases.csv is no table of a report's cases" in capsys.readouterr().err
