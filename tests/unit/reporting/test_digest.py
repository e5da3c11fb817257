"""The digest tells whether two reports have the same numbers, however they were worked out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bakeoff.domain.answer import CaseAnswer, Timing
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.evaluation import EvaluationRequest
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.digest import report_digest
from bakeoff.reporting.gather import gather
from bakeoff.reporting.load import dump_report, load_report
from tests.builders import a_benchmark, a_case, a_mode, a_passage, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate

CASES = [a_case(f"c{number:02d}", relevant=[f"d{number % 5}"]) for number in range(40)]


def says(entrant: str, case: Case) -> CaseAnswer:
    first = hash_of(entrant, case.case_id)
    hits = [f"d{(first + step) % 5}" for step in range(5)]
    return CaseAnswer(case.case_id, tuple(a_passage(hit, rank=rank) for rank, hit in enumerate(hits, start=1)))


def hash_of(*names: str) -> int:
    return sum(map(ord, "".join(names)))


def made(
    change: Callable[[EvaluationRequest], EvaluationRequest] = lambda request: request,
    answer: Callable[[str, Case], CaseAnswer] = says,
    evaluation_id: str = "ev-1",
) -> EvaluationReport:
    request = change(a_request(recipes=[a_recipe("a"), a_recipe("b"), a_recipe("c")]))
    found = evaluate(
        request, CASES, answer, methods=["ndcg(k=10)", "average_precision", "hit(k=2)"], evaluation_id=evaluation_id
    )
    return assemble(gather(found.plan, found.context))


def option(**changes: object) -> Callable[[EvaluationRequest], EvaluationRequest]:
    return lambda request: replace(request, options=replace(request.options, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        option(batch_cases=1),
        option(batch_cases=7),
        option(concurrency=3),
        lambda request: replace(request, tenant="other", idempotency_key="k"),
        lambda request: replace(request, benchmarks=(a_benchmark("elsewhere"),)),
    ],
    ids=["batches of 1", "batches of 7", "concurrency", "tenant and key", "path"],
)
def test_who_asked_where_and_in_what_batches_does_not_matter(
    change: Callable[[EvaluationRequest], EvaluationRequest],
) -> None:
    assert made(change).digest == made().digest


def test_the_evaluations_id_and_times_do_not_matter() -> None:
    def slow(entrant: str, case: Case) -> CaseAnswer:
        return replace(says(entrant, case), timing=Timing(1000.0))

    other = made(answer=slow, evaluation_id="ev-2")
    assert other.digest == made().digest
    assert other.run != made().run


@pytest.mark.parametrize(
    "change",
    [
        option(seed=1),
        option(confidence=0.9),
        lambda request: replace(request, name="another title"),
        lambda request: replace(
            request,
            recipes=(a_recipe("a", query=[a_mode(top_k=7)]), *request.recipes[1:]),
        ),
    ],
    ids=["seed", "confidence", "name", "top k"],
)
def test_the_question_matters(change: Callable[[EvaluationRequest], EvaluationRequest]) -> None:
    assert made(change).digest != made().digest


def test_one_answer_that_differs_matters() -> None:
    def other(entrant: str, case: Case) -> CaseAnswer:
        answer = says(entrant, case)
        found = tuple(replace(each, score=-each.score) for each in answer.passages)
        return replace(answer, passages=found) if case.case_id == "c17" else answer

    assert made(answer=other).digest != made().digest


def test_two_cases_that_change_places_matter_though_every_mean_stays() -> None:
    def found_by(lucky: str) -> Callable[[str, Case], CaseAnswer]:
        def answer(entrant: str, case: Case) -> CaseAnswer:
            hit = case.expected.evidence[0].reference_id if case.case_id == lucky else "none"
            return an_answer(case.case_id, found=[hit])

        return answer

    first, second = made(answer=found_by("c10")), made(answer=found_by("c11"))
    assert first.entrants == second.entrants
    assert first.digest != second.digest


def test_a_loaded_report_has_the_digest_that_it_states() -> None:
    report = load_report(dump_report(made()))
    assert report == made()
    assert report_digest(report) == report.digest


def test_the_same_material_gives_the_same_bytes() -> None:
    assert dump_report(made()) == dump_report(made())


def test_the_adapters_settings_are_shown_though_they_do_not_count() -> None:
    report = made()
    assert report.benchmarks[0].adapter == str(ComponentSpec("beir", {"path": "docs"}))


def test_the_last_number_of_pythons_version_does_not_matter_and_a_library_does() -> None:
    def ran_on(**versions: str) -> str:
        return report_digest(replace(made(), versions=versions))

    assert ran_on(python="3.11.2", numpy="2.4.6") == ran_on(python="3.11.7", numpy="2.4.6")
    assert ran_on(python="3.12.2", numpy="2.4.6") != ran_on(python="3.11.2", numpy="2.4.6")
    assert ran_on(python="3.11.2", numpy="2.4.7") != ran_on(python="3.11.2", numpy="2.4.6")
