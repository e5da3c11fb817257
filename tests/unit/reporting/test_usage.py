"""What models took, from stored answers to the report, the terminal and the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bakeoff.contract import object_keys
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.knowledge import EMBEDDER_COST, EMBEDDER_TOKENS
from bakeoff.domain.prompt import Usage
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.handlers import report
from bakeoff.reporting.percentiles import percentiles
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.text import render_summary, render_text
from bakeoff.reporting.usage_tables import in_short, notes, sums, times
from bakeoff.reporting.wording import money
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import EVALUATION, Evaluated, evaluate

renderers.load()
CASES = [a_case(f"c{number}") for number in range(5)]
REFUSED = Failure(FailureKind.MODEL, "the endpoint refused the prompt")
MODEL, WORDS = "model/full_text_search", "words/full_text_search"
Took = Callable[[int], Usage | None]


def four_answers(number: int) -> Usage:
    """What the first four cases took: 10, 20, 30, 40 tokens in and 1, 2, 3, 4 s; the first was stored."""
    return Usage(10 * (number + 1), 5, None, 0.25, 0 if number == 0 else number, 1000.0 * (number + 1))


def evaluated(took: Took = four_answers) -> Evaluated:
    def says(entrant: str, case: Case) -> CaseAnswer:
        number = CASES.index(case)
        if entrant != MODEL:
            return an_answer(case.case_id)
        if number == 4:
            return an_answer(case.case_id, failure=REFUSED)
        return replace(an_answer(case.case_id, text="Oslo"), usage=took(number))

    request = a_request(recipes=[a_recipe("model", answer="extractive"), a_recipe("words")])
    return evaluate(request, CASES, says, methods=["hit(k=1)"])


def reported(took: Took = four_answers) -> EvaluationReport:
    found = evaluated(took)
    return assemble(gather(found.plan, found.context))


def test_tokens_cost_and_requests_are_summed_over_the_answers_of_an_entrant() -> None:
    facts = reported().run.usage[MODEL]
    # The fifth case failed, and what it took is not known.
    assert (facts["asked"], facts["stored"], facts["calls"]) == (4, 1, 1 + 2 + 3)
    assert (facts["tokens_in"], facts["tokens_out"], facts["cost"]) == (10 + 20 + 30 + 40, 4 * 5, 4 * 0.25)
    assert facts["uncounted"] == 0


def test_the_latency_has_its_average_nearest_ranks_and_maximum() -> None:
    facts = reported().run.usage[MODEL]
    spread = {name: value for name, value in facts.items() if name.startswith("latency")}
    # Nearest rank of four: the 2nd for p50, the 3rd for p75, the 4th for p90 and p99.
    assert spread == {
        "latency_average": 2500,
        "latency_p50": 2000,
        "latency_p75": 3000,
        "latency_p90": 4000,
        "latency_p99": 4000,
        "latency_max": 4000,
    }


def test_what_no_answer_tells_is_left_out() -> None:
    facts = reported().run.usage[MODEL]
    assert not [name for name in facts if name.startswith(("tokens_cached", "first_token", "inter_token"))]


def test_an_entrant_that_asks_no_model_took_nothing() -> None:
    assert list(reported().run.usage) == [MODEL]
    assert reported(lambda number: None).run.usage == {}


def test_usage_is_no_part_of_the_digest() -> None:
    assert reported().digest == reported(lambda number: Usage(1, 1, cost=9.0)).digest


def test_answers_without_a_number_of_tokens_are_counted_and_told() -> None:
    report = reported(lambda number: Usage(7, 3) if number else Usage())
    facts = report.run.usage[MODEL]
    assert (facts["tokens_in"], facts["uncounted"]) == (3 * 7, 1)
    assert notes(report) == ("1 answer came without its number of tokens, and is not in the sums.",)


def test_columns_of_which_nothing_is_known_are_not_shown() -> None:
    report = reported()
    assert sums(report).header == (
        "entrant", "answers", "of them stored", "requests", "tokens in", "tokens out", "cost",
    )  # fmt: skip
    assert sums(report).rows == (("model", "4", "1", "6", "100", "20", "1.0000"),)
    assert times(report).rows == (
        ("model", "whole answer", "2500.00 ms", "2000.00 ms", "3000.00 ms", "4000.00 ms", "4000.00 ms", "4000.00 ms"),
    )
    assert "cost" not in sums(reported(lambda number: Usage(1, 1))).header


def test_each_entrant_has_what_the_vectors_that_it_searches_take() -> None:
    def says(entrant: str, case: Case) -> CaseAnswer:
        return an_answer(case.case_id)

    recipes = [a_recipe("words"), a_recipe("paid", chunker="sentences"), a_recipe("free", chunker="page")]
    found = evaluate(a_request(recipes=recipes), CASES, says, methods=["hit(k=1)"])
    material = gather(found.plan, found.context)
    took = {"sentences": {EMBEDDER_TOKENS: 1200.0, EMBEDDER_COST: 0.25}, "page": {EMBEDDER_TOKENS: 30.0}, "none": {}}
    bases = tuple(
        replace(each, manifest=replace(each.manifest, measures=took[each.build.chunker.name]))
        for each in material.knowledge_bases
        if each.manifest
    )

    report = assemble(replace(material, knowledge_bases=bases))

    assert report.run.usage == {
        "paid/full_text_search": {"build_tokens": 1200.0, "build_cost": 0.25},
        "free/full_text_search": {"build_tokens": 30.0},
    }
    summary = [line.split() for line in render_summary(report).splitlines()]
    assert next(line for line in summary if "failed" in line)[-6:] == ["tokens", "to", "build", "cost", "to", "build"]
    ends = {line[0]: line[-2:] for line in summary if line and line[-1] in ("0.2500", "–")}
    assert ends == {"paid": ["1,200", "0.2500"], "free": ["30", "–"], "words": ["–", "–"]}
    assert "Tokens and cost to build" in render_text(report)


def test_the_short_form_has_tokens_and_cost_of_each_entrant() -> None:
    found = in_short([{"tokens_in": 1200, "tokens_out": 34, "cost": 0.5}, {}])
    assert (found.header, found.rows) == (("tokens", "cost"), (("1,234", "0.5000"), ("–", "–")))
    assert in_short([{}, {}]).header == ()


def test_the_terminal_shows_what_a_model_took() -> None:
    report = reported()
    summary, text = render_summary(report), render_text(report)
    header = next(line for line in summary.splitlines() if "failed cases" in line)
    assert header.split()[-2:] == ["tokens", "cost"]
    assert "model" in next(line for line in summary.splitlines() if line.endswith("120  1.0000"))
    assert "whole answer, p50" in text
    assert "1 answer was stored already and took no request" in text
    assert max(map(len, text.splitlines())) <= 100


def test_without_a_model_nothing_is_said_of_models() -> None:
    report = reported(lambda number: None)
    assert "tokens" not in render_summary(report) + render_text(report)


@pytest.mark.parametrize("known", [True, False])
def test_the_page_shows_what_a_model_took_if_one_was_asked(known: bool) -> None:
    found = evaluated(four_answers if known else lambda number: None)
    report(found.task, found.context)
    page = found.context.objects.read_key(object_keys.report(EVALUATION, "report.html")).decode()
    shown = ("What models took", '<th scope="col" class="n">Tokens</th><th scope="col" class="n">Cost</th>')
    assert [words in page for words in shown] == [known, known]
    assert ('<td class="n">120</td><td class="n">1.0000</td></tr>' in page) is known
    assert ('<td class="n">2500.00 ms</td><td class="n">2000.00 ms</td>' in page) is known


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "–"), (0.0, "0.0000"), (0.00002, "< 0.0001"), (0.0123, "0.0123"), (1234.567, "1,234.57")],
)
def test_a_small_amount_is_not_shown_as_nothing(value: float | None, words: str) -> None:
    assert money(value) == words


def test_percentiles_are_values_that_occurred() -> None:
    assert percentiles("wait", [3.0, 1.0, 2.0], (50, 90)) == {"wait_p50": 2.0, "wait_p90": 3.0, "wait_max": 3.0}
    assert percentiles("wait", [], (50,)) == {}
