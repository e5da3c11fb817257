"""Stored answers scored with other methods, by the real command: no model is asked, and it is not there any more."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bakeoff.client import Client
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationRequest, EvaluationState, Rescoring
from bakeoff.domain.report import EvaluationReport
from bakeoff.embedded import Embedded
from bakeoff.reporting.load import load_report
from tests.e2e import command
from tests.e2e.scripted_model import an_endpoint
from tests.e2e.synthetic import a_bake_off, write_benchmark

ROWS, FAILING = 12, 5
EVALUATION = """\
name: Words
benchmarks:
  - rows: {{path: rows.jsonl, examples: train.jsonl, eval_type: key2_qa, keys: {{question: question, target: target}}}}
    evaluators: [exact_match]
recipes:
  - name: two shots
    answer:
      openai: {{base_url: "{url}", model: scripted, stream: false, price_in: 1.0, price_out: 2.0}}
      examples: random(k=2)
options: {{batch_cases: 5}}
"""
PRIVATE = {"BAKEOFF_ALLOW_PRIVATE_ADDRESSES": "true"}


@dataclass(frozen=True, slots=True)
class First:
    """An evaluation that has ended, and whose model is gone."""

    folder: Path
    evaluation_id: str
    report: EvaluationReport
    calls: int


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> First:
    folder = tmp_path_factory.mktemp("first")
    with (folder / "rows.jsonl").open("w") as file, (folder / "train.jsonl").open("w") as examples:
        for number in range(ROWS):
            word = "fail" if number == FAILING else f"word{number}"
            row = {"id": f"r{number}", "question": f'Say "{word}" please', "target": word if number else "another"}
            file.write(json.dumps(row) + "\n")
            if number != FAILING:
                examples.write(json.dumps(row) + "\n")
    with an_endpoint() as endpoint:
        (folder / "words.yaml").write_text(EVALUATION.format(url=endpoint.base_url))
        ended = command.run(["run", "words.yaml", "--json"], folder, PRIVATE)
        assert ended.finished["state"] == "completed"
    return First(folder, ended.finished["evaluation_id"], report_in(folder / "reports/words"), endpoint.calls.total())


def report_in(folder: Path) -> EvaluationReport:
    return load_report((folder / "report.json").read_bytes())


def rescore(first: First, *arguments: str) -> command.Ended:
    return command.run(["rescore", first.evaluation_id, "--json", *arguments], first.folder, PRIVATE)


def rescored(first: First, *arguments: str) -> EvaluationReport:
    ended = rescore(first, *arguments)
    return report_in((first.folder / ended.finished["files"]["json"]).parent)


def test_the_answers_are_the_stored_ones_and_no_model_is_asked(first: First) -> None:
    assert first.calls >= ROWS
    ended = rescore(first, "--evaluator", 'token_f1(normaliser="squad")', "--evaluator", '{"regex": {"pattern": "w"}}')
    again = report_in((first.folder / ended.finished["files"]["json"]).parent)
    states = [line for line in ended.lines if line["event"] == "evaluation"]
    for state in states:
        planned = {stage["stage"]: stage["planned"] for stage in state["stages"]}
        assert not any(planned[stage] for stage in ("prepare", "ingest", "build", "infer"))
    assert again.run.evaluation_id == ended.finished["evaluation_id"] != first.evaluation_id
    assert again.request.rescoring == Rescoring(first.evaluation_id)
    assert again.name == "Words, re-scored"

    (entrant,), (before,) = again.entrants, first.report.entrants
    assert [(metric.planned, metric.scored, metric.failed) for metric in entrant.metrics] == [(ROWS, ROWS - 1, 1)] * 2
    # The refused prompt failed; the first row's target is another word; every answer has a w.
    assert [metric.mean for metric in entrant.metrics] == pytest.approx([(ROWS - 2) / ROWS, (ROWS - 1) / ROWS])
    assert replace(entrant, metrics=()) == replace(before, metrics=())


def test_the_report_carries_everything_else_of_the_first(first: First) -> None:
    again = rescored(first, "--evaluator", "token_f1")
    assert again.run.usage == first.report.run.usage
    assert again.run.latency_ms == first.report.run.latency_ms
    assert again.run.failures == first.report.run.failures
    assert "not to my taste" in again.run.failures[0].reason
    kept = ("prepare", "infer")
    assert [each for each in again.run.stages if each.stage in kept] == [
        each for each in first.report.run.stages if each.stage in kept
    ]
    assert again.run.submitted_at > first.report.run.finished_at
    assert again.versions["generator:openai"] == first.report.versions["generator:openai"]
    assert again.digests["benchmark:rows"] == first.report.digests["benchmark:rows"]


def test_the_same_methods_on_the_same_answers_give_the_same_scores(first: First) -> None:
    again = rescored(first, "--evaluator", "exact_match")
    assert again.entrants == first.report.entrants
    assert again.comparisons == first.report.comparisons
    cases = [name for name in first.report.digests if name.startswith("cases:")]
    assert cases
    assert {name: again.digests[name] for name in cases} == {name: first.report.digests[name] for name in cases}


def test_further_methods_come_beside_and_the_same_wish_finds_the_same_evaluation(first: First) -> None:
    wish = ("--add", "--evaluator", "token_f1", "--out", "added")
    once, twice = rescore(first, *wish), rescore(first, *wish)
    assert once.finished["evaluation_id"] == twice.finished["evaluation_id"]
    assert [line["created"] for line in (once.lines[0], twice.lines[0])] == [True, False]
    report = report_in(first.folder / "added")
    assert [card.name for card in report.benchmarks[0].metrics] == ["exact_match", "token_f1"]
    fresh = rescore(first, *wish, "--fresh")
    assert fresh.finished["evaluation_id"] != once.finished["evaluation_id"]
    assert fresh.finished["digest"] == once.finished["digest"]


def test_the_report_says_whose_answers_it_judges_and_which_examples_were_withheld(first: First) -> None:
    # Each row but one is in the pool of examples, and is withheld from its own prompt.
    withheld = {"excluded_examples": ROWS - 1, "cases_with_excluded_examples": ROWS - 1}
    assert first.report.entrants[0].prompts == withheld
    ended = command.run(
        ["rescore", "reports/words", "--evaluator", "exact_match", "--out", "told"], first.folder, PRIVATE
    )
    assert ended.code == 0, ended.err
    page = (first.folder / "told/report.html").read_text()
    for text in (" ".join(ended.out.split()), page):
        assert f"the answers, and what they took, are those of evaluation {first.evaluation_id}" in text
        assert f"{ROWS - 1} examples were withheld from the prompts of {ROWS - 1} of {ROWS} cases" in text


def test_what_cannot_be_scored_with_is_refused_before_anything_is_done(first: First) -> None:
    before = command.run(["list", "--json"], first.folder).lines
    for evaluators, told in (
        (["token_f2"], "did you mean 'token_f1'? known: "),
        (["ndcg@10"], "known: answer_contains, "),
        (["token_f1(normaliser=plane)"], "did you mean 'plain'?"),
        (['{"token_f1": 3}'], "is no evaluator; write it as"),
        (["ground", "ground(time_limit_s=3)"], "two evaluators give the metric 'ground'"),
    ):
        ended = rescore(first, *(word for text in evaluators for word in ("--evaluator", text)))
        assert ended.code == 2
        (line,) = ended.lines
        assert line["event"] == "error"
        assert told in json.dumps(line, ensure_ascii=False)
    assert command.run(["list", "--json"], first.folder).lines == before


def test_an_evaluation_that_does_not_exist_is_3(first: First) -> None:
    ended = command.run(["rescore", "ev-nowhere", "--evaluator", "exact_match"], first.folder, PRIVATE)
    assert (ended.code, "there is no evaluation 'ev-nowhere'" in ended.err) == (3, True)


def test_rankings_are_scored_again_without_a_build_or_a_search(tmp_path: Path) -> None:
    benchmark = write_benchmark(tmp_path / "synthetic", documents=20, cases=10)
    request = a_bake_off(benchmark, ComponentSpec("extractive"))
    with Embedded(tmp_path / "platform") as platform, Client(platform.address) as client:
        first = ended(client, request)
        worked = {stage: counts.executed for stage, counts in platform.counts().items()}
        wish = Rescoring(first.run.evaluation_id, (ComponentSpec("recall", {"k": 3}), ComponentSpec("hit", {"k": 1})))
        again = ended(client, EvaluationRequest("by hand", (), (), rescoring=wish))
        more = {stage: counts.executed - worked[stage] for stage, counts in platform.counts().items()}
    assert {stage for stage, count in more.items() if count} == {"score", "report"}
    assert again.name == "by hand"
    assert [card.name for card in again.benchmarks[0].metrics] == ["recall@3", "hit@1"]
    assert again.knowledge_bases == first.knowledge_bases != ()
    assert all(metric.scored == 10 for entrant in again.entrants for metric in entrant.metrics)


def ended(client: Client, request: EvaluationRequest) -> EvaluationReport:
    name = client.submit(request)[0].evaluation_id
    *_, last = client.watch(name)
    assert last.state is EvaluationState.COMPLETED, last.reason
    return load_report(b"".join(client.report_file(name, "json")))
