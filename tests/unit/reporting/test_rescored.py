"""The report of answers that were scored again says whose they are, and differs in nothing that they decide."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.contract import object_keys
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.evaluation import Rescoring, Stage
from bakeoff.domain.report import EvaluationReport
from bakeoff.domain.work import DoneFact
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.handlers import report
from bakeoff.reporting.load import load_report
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.text import render_summary, render_text
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import EVALUATION, Evaluated, evaluate

renderers.load()
CASES = [a_case(f"c{number}") for number in range(4)]
SOURCE = "ev-aaaaaaaaaaaaaaaaaaaaaaaa"
PROMPTS: dict[str, dict[str, object]] = {
    "c0": {"excluded_examples": 2},
    "c1": {"excluded_examples": 1, "invalid_choices": True},
    # What other generators say under these names is no count.
    "c2": {"excluded_examples": "many", "invalid_choices": "B"},
    "c3": {"excluded_examples": True},
}


def says(entrant: str, case: Case) -> CaseAnswer:
    if entrant.startswith("plain"):
        return an_answer(case.case_id)
    failure = Failure(FailureKind.MODEL, "refused") if case.case_id == "c1" else None
    return replace(an_answer(case.case_id, failure=failure), metadata=PROMPTS[case.case_id])


def evaluated(rescoring: Rescoring | None = None) -> Evaluated:
    recipes = [a_recipe("shots", answer="extractive"), a_recipe("plain")]
    request = replace(a_request(recipes=recipes), rescoring=rescoring)
    return evaluate(request, CASES, says, methods=["hit(k=1)"])


def reported(found: Evaluated) -> EvaluationReport:
    return assemble(gather(found.plan, found.context))


def rendered(found: Evaluated) -> tuple[str, str, EvaluationReport]:
    """Return all that a report says in words: its text without line breaks, its page, and its JSON read back."""
    data = report(found.task, found.context).data
    read = load_report(data)
    page = found.context.objects.read_key(object_keys.report(EVALUATION, "report.html")).decode()
    return " ".join(render_text(read).split()), page, read


def test_a_rescoring_names_the_evaluation_whose_answers_it_judges() -> None:
    text, page, read = rendered(evaluated(Rescoring(SOURCE)))
    assert read.request.rescoring == Rescoring(SOURCE)
    for told in (text, page, " ".join(render_summary(read).split())):
        assert f"the answers, and what they took, are those of evaluation {SOURCE}" in told
    assert "All stages before the scores are those of evaluation" in page
    text, page, read = rendered(evaluated())
    assert "Re-scored" not in text + page


def test_the_digest_tells_answers_and_scores_and_not_when_they_were_scored() -> None:
    assert reported(evaluated(Rescoring(SOURCE))).digest == reported(evaluated()).digest


def test_it_begins_with_its_own_work_and_keeps_the_times_of_the_answers() -> None:
    def on(fact: DoneFact, day: int) -> DoneFact:
        return replace(fact, started_at=f"2032-06-{day:02d}T10:00:00Z", duration_ms=1000.0)

    found = evaluated(Rescoring(SOURCE))
    for (stage, item), fact in list(found.context.known.items()):
        found.context.known[stage, item] = on(fact, 20 if stage is Stage.SCORE else 1)
    run = reported(found).run
    assert (run.submitted_at, run.finished_at) == ("2032-06-20T10:00:00Z", "2032-06-20T10:00:01.000Z")
    assert {each.stage for each in run.stages} >= {"build", "infer", "score"}


def test_withheld_examples_and_unreadable_choices_are_summed_for_each_entrant() -> None:
    shots, plain = reported(evaluated()).entrants
    # The failed case has a prompt, too.
    assert shots.prompts == {
        "excluded_examples": 2 + 1,
        "cases_with_excluded_examples": 2,
        "cases_with_invalid_choices": 1,
    }
    assert plain.prompts == {}


def test_they_are_said_in_words_and_in_the_json() -> None:
    text, page, read = rendered(evaluated())
    assert read.entrants[0].prompts["excluded_examples"] == 3
    for told in (text, page):
        assert "shots: 3 examples were withheld from the prompts of 2 of 4 cases, being the case itself." in told
        assert "shots: the choices of 1 of 4 cases could not be told; their prompts showed one empty choice." in told
        assert told.count("withheld") == told.count("could not be told") == 1
