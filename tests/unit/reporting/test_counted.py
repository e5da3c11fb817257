"""Every mean is printed with its counts, and where cases failed with the mean over the scored ones beside it."""

from __future__ import annotations

from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.counted import SHOWN, counted
from bakeoff.reporting.gather import gather
from bakeoff.reporting.text import render_summary, render_text
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate

CASES = [a_case(f"c{number}", answers=["Quay"] if number else (), relevant=["d1"]) for number in range(5)]
SILENT = Failure(FailureKind.MODEL, "the model said nothing")


def says(entrant: str, case: Case) -> CaseAnswer:
    """`mute` fails on two cases and is right on one of the others."""
    if entrant.startswith("mute") and case.case_id in ("c3", "c4"):
        return an_answer(case.case_id, failure=SILENT)
    return an_answer(case.case_id, text="Quay" if case.case_id == "c1" else "Pier")


def rendered(*names: str) -> tuple[list[str], str, str]:
    request = a_request(recipes=[a_recipe(name, answer="extractive") for name in names])
    found = evaluate(request, CASES, says, methods=["exact_match", "hit(k=1)"])
    report = assemble(gather(found.plan, found.context))
    return counted(report, report.benchmarks[0]), render_summary(report), render_text(report)


def test_an_answer_metric_has_its_counts_and_the_mean_over_the_scored_alone() -> None:
    sentences, summary, text = rendered("mute")
    assert sentences == [
        "cases of mute, exact_match: 5 planned, 2 scored, 2 failed, 1 not applicable; over the scored alone "
        "exact_match 0.5000",
        "cases of mute, hit@1: 5 planned, 3 scored, 2 failed, 0 not applicable; over the scored alone hit@1 1.0000",
    ]
    assert " ".join(sentences[0].split()) in " ".join(summary.split())
    row = next(line.split() for line in text.splitlines() if line.split()[:2] == ["exact_match", "mute"])
    assert row[2:4] == ["0.2500", "0.5000"]  # 1 of 4, failed ones as 0; 1 of the 2 that were scored
    assert row[-4:] == ["5", "2", "2", "1"]


def test_counts_that_all_means_share_are_said_once() -> None:
    request = a_request(recipes=[a_recipe("a"), a_recipe("b")])
    found = evaluate(request, CASES, says, methods=["hit(k=1)"])
    report = assemble(gather(found.plan, found.context))
    assert counted(report, report.benchmarks[0]) == [
        "cases of each mean: 5 planned, 5 scored, 0 failed, 0 not applicable"
    ]


def test_many_entrants_have_a_bounded_number_of_sentences() -> None:
    sentences, _, text = rendered(*(f"mute{number}" for number in range(9)))
    assert len(sentences) == SHOWN + 1
    assert sentences[-1] == "… and 6 more in the full report"
    assert text.count(" 5       2       2     1") == 9
