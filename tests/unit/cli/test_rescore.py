"""`bakeoff rescore` as a script sees it: what it asks the platform for, and what it refuses to ask."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.cli.evaluator_arguments import check_evaluators, read_evaluator
from bakeoff.cli.main import main
from bakeoff.contract.stored import encode
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.evaluation import EvaluationState, EvaluationStatus, Rescoring
from bakeoff.domain.identity import evaluation_id
from bakeoff.domain.prepared import QualityReport
from bakeoff.domain.report import BenchmarkResult
from bakeoff.domain.score import MetricCard
from tests.unit.cli.conftest import FakePlatform, a_report

SQUAD = ComponentSpec("token_f1", {"normaliser": "squad"})
FIRST = "ev-first"


@pytest.fixture
def first(platform: FakePlatform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePlatform:
    """A platform with a completed evaluation, scored by ground truths."""
    monkeypatch.chdir(tmp_path)
    platform.known[FIRST] = EvaluationStatus(FIRST, "Words", "mine", EvaluationState.COMPLETED)
    card = MetricCard("ground", "ground(time_limit_s=10)", "1")
    benchmark = BenchmarkResult("b", "1", "test", "", "f", "rows", 0, 3, 1, (card,), QualityReport(0, 3, 1, 0))
    platform.reports[FIRST] = replace(a_report(), benchmarks=(benchmark,))
    return platform


def asked(platform: FakePlatform) -> Rescoring:
    (name,) = platform.known.keys() - {FIRST}
    rescoring = platform.reports[name].request.rescoring
    assert rescoring is not None
    return rescoring


@pytest.mark.parametrize(
    "text",
    [
        'token_f1(normaliser="squad")',
        "token_f1(normaliser=squad)",
        '{"token_f1": {"normaliser": "squad"}}',
        ' {"name": "token_f1", "settings": {"normaliser": "squad"}}',
    ],
)
def test_a_method_can_be_written_as_it_prints_or_as_json(text: str) -> None:
    assert read_evaluator(text) == SQUAD


@pytest.mark.parametrize("text", ["exact_match", "exact_match()", '{"exact_match": {}}', '{"exact_match": null}'])
def test_a_method_without_settings_is_its_name(text: str) -> None:
    assert str(read_evaluator(text)) == "exact_match"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ndcg@10", "'ndcg@10' is no component; .* known: .*exact_match, "),
        ('{"token_f1": ', "is no JSON"),
        ('{"token_f1": "squad"}', "is no evaluator; write it as"),
        ('{"token_f1": {}, "exact_match": {}}', "is no evaluator; write it as"),
        ('{"Token F1": {}}', "is no evaluator; write it as"),
        ("{}", "is no evaluator; write it as"),
    ],
)
def test_what_is_no_method_is_refused_with_the_ways_to_write_one(text: str, told: str) -> None:
    with pytest.raises(InvalidInputError, match=told) as caught:
        read_evaluator(text)
    assert caught.value.message.startswith("--evaluator: ")


def test_all_faults_of_all_methods_are_told_at_once() -> None:
    wrong = [ComponentSpec("exact_mach"), ComponentSpec("token_f1", {"normaliser": "plane"})]
    with pytest.raises(InvalidInputError, match=r"(?s)did you mean 'exact_match'.*did you mean 'plain'"):
        check_evaluators(wrong)


def test_two_methods_that_give_one_metric_are_refused_and_the_same_twice_is_one() -> None:
    check_evaluators([SQUAD], [SQUAD])
    with pytest.raises(InvalidInputError, match="two evaluators give the metric 'ground'"):
        check_evaluators([ComponentSpec("ground", {"time_limit_s": 3})], [ComponentSpec("ground")])
    # One that only the platform has is its business.
    check_evaluators([SQUAD], [ComponentSpec("of_a_plug_in")])


def test_a_rescoring_is_asked_for_in_the_name_of_whoever_asked_first(
    first: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    wish = ["rescore", FIRST, "--evaluator", "exact_match", "--evaluator", str(SQUAD), "--name", "again"]
    assert main([*wish, "--server", first.address]) == 0
    name = evaluation_id("mine", "")
    assert first.known[name].tenant == "mine"
    assert asked(first) == Rescoring(FIRST, (ComponentSpec("exact_match"), SQUAD))
    assert Path(f"reports/again-{name}/report.json").is_file()
    assert f"evaluation {name}" in capsys.readouterr().out


def test_methods_can_come_beside_those_there_were(first: FakePlatform) -> None:
    assert main(["rescore", FIRST, "--add", "--evaluator", str(SQUAD), "--server", first.address]) == 0
    assert asked(first) == Rescoring(FIRST, (SQUAD,), add=True)


def test_a_metric_that_is_there_already_is_refused_before_anything_is_asked(
    first: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "ground(time_limit_s=3)"
    assert main(["rescore", FIRST, "--add", "--evaluator", other, "--server", first.address]) == 2
    assert "two evaluators give the metric 'ground'" in capsys.readouterr().err
    assert first.known.keys() == {FIRST}
    # In its place it is welcome.
    assert main(["rescore", FIRST, "--replace", "--evaluator", other, "--server", first.address]) == 0


def test_fresh_makes_another_evaluation_of_the_same_methods(first: FakePlatform) -> None:
    for _ in range(2):
        assert main(["rescore", FIRST, "--evaluator", "exact_match", "--fresh", "--server", first.address]) == 0
    assert len(first.known) == 3


def test_the_evaluation_can_be_named_by_its_report(first: FakePlatform, capsys: pytest.CaptureFixture[str]) -> None:
    Path("there").mkdir()
    report = a_report()
    Path("there/report.json").write_bytes(encode(replace(report, run=replace(report.run, evaluation_id=FIRST))))
    for path in ("there", "there/report.json"):
        wish = ["rescore", path, "--evaluator", "exact_match", "--json", "--server", first.address]
        assert main(wish) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [lines[0]["event"], lines[-1]["event"]] == ["submitted", "finished"]
    assert asked(first).evaluation_id == FIRST
    assert main(["rescore", "nowhere/report.json", "--evaluator", "exact_match", "--server", first.address]) == 3


def test_an_evaluation_that_is_not_there_is_3_and_unknown_methods_are_2_without_a_platform(
    first: FakePlatform, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rescore", "ev-nowhere", "--evaluator", "exact_match", "--server", first.address]) == 3
    assert "ev-nowhere" in capsys.readouterr().err
    assert main(["rescore", FIRST, "--evaluator", "nope", "--server", "127.0.0.1:1"]) == 2
    assert re.search(r"no evaluator is named 'nope'; .*known: .*exact_match", capsys.readouterr().err)


@pytest.mark.parametrize("arguments", [[FIRST], [FIRST, "--evaluator", "exact_match", "--add", "--replace"]])
def test_a_method_must_be_named_and_one_way_chosen(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rescore", *arguments]) == 2
    assert "usage: bakeoff rescore" in capsys.readouterr().err
