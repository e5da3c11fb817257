"""What models took on each of several benchmarks, beside the sums over all of them."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.domain.answer import CaseAnswer, Timing
from bakeoff.domain.benchmark import Case
from bakeoff.domain.knowledge import EMBEDDER_TOKENS
from bakeoff.domain.prompt import Usage
from bakeoff.domain.report import EvaluationReport
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.load import dump_report, load_report
from bakeoff.reporting.material import CaseOutcome, Finished, Material
from bakeoff.reporting.page.render import render_page
from bakeoff.reporting.standings import glances
from bakeoff.reporting.text import render_summary, render_text
from bakeoff.reporting.usage_tables import in_short, latencies, sums, times
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate

CASES = [a_case(f"c{number}") for number in range(4)]
MODEL, WORDS = "model/full_text_search", "words/full_text_search"
HARBOUR, MOUNTAIN = "harbour", "mountain"


def says(entrant: str, case: Case) -> CaseAnswer:
    """`model` takes 10 tokens in, 5 out, a cost of 0.25 and 1, 2, 3, 4 s for the cases of one benchmark."""
    if entrant != MODEL:
        return replace(an_answer(case.case_id), timing=Timing(retrieve_ms=7.0))
    took = Usage(10, 5, None, 0.25, 1, 1000.0 * (CASES.index(case) + 1))
    return replace(an_answer(case.case_id, text="Oslo"), usage=took)


def ten_times(outcome: CaseOutcome) -> CaseOutcome:
    """What a case of the other benchmark took."""
    timing = replace(outcome.timing, retrieve_ms=70.0)
    if outcome.usage is None:
        return replace(outcome, timing=timing)
    return replace(outcome, timing=timing, usage=Usage(100, 50, None, 2.5, 2, 10.0 * (outcome.usage.latency_ms or 0)))


def material() -> Material:
    """Two benchmarks of four cases that ask the same knowledge base."""
    request = a_request(recipes=[a_recipe("model", answer="extractive"), a_recipe("words")])
    found = evaluate(request, CASES, says, methods=["hit(k=1)"], name=HARBOUR)
    alone = gather(found.plan, found.context)
    (first,) = alone.benchmarks
    entrants = tuple(
        replace(each, outcomes=tuple(ten_times(outcome) for outcome in each.outcomes)) for each in first.entrants
    )
    bases = tuple(
        replace(each, manifest=replace(each.manifest, measures={EMBEDDER_TOKENS: 600.0}))
        for each in alone.knowledge_bases
        if each.manifest
    )
    second = replace(first, name=MOUNTAIN, entrants=entrants)
    return replace(alone, benchmarks=(first, second), knowledge_bases=bases)


def reported() -> EvaluationReport:
    return assemble(material())


def test_each_benchmark_has_what_each_entrant_took_beside_the_sums() -> None:
    report = reported()
    took = {(each.benchmark, each.entrant): each for each in report.run.by_benchmark}
    assert list(took) == [(HARBOUR, MODEL), (HARBOUR, WORDS), (MOUNTAIN, MODEL), (MOUNTAIN, WORDS)]
    facts = [took[name, MODEL].usage for name in (HARBOUR, MOUNTAIN)] + [report.run.usage[MODEL]]
    assert [each["tokens_in"] for each in facts] == [4 * 10, 4 * 100, 440]
    assert [each["tokens_out"] for each in facts] == [4 * 5, 4 * 50, 220]
    assert [each["cost"] for each in facts] == [4 * 0.25, 4 * 2.5, 11.0]
    assert [each["calls"] for each in facts] == [4 * 1, 4 * 2, 12]
    # Nearest ranks of 1, 2, 3, 4 s, of 10, 20, 30, 40 s, and of all eight: 1 2 3 4 10 20 30 40.
    assert [each["latency_p50"] for each in facts] == [2000, 20_000, 4000]
    assert [each["latency_p90"] for each in facts] == [4000, 40_000, 40_000]
    retrieved = [took[name, WORDS].latency_ms["retrieve_p50"] for name in (HARBOUR, MOUNTAIN)]
    assert retrieved == [7.0, 70.0]


def test_a_knowledge_base_of_two_benchmarks_counts_for_each_and_once_for_both() -> None:
    run = reported().run
    assert [each.usage["build_tokens"] for each in run.by_benchmark if each.entrant == WORDS] == [600, 600]
    assert run.usage[WORDS]["build_tokens"] == 600


def test_it_is_no_part_of_the_digest_and_is_read_back() -> None:
    report = reported()
    run = replace(report.run, by_benchmark=())
    assert load_report(dump_report(report)) == report
    assert load_report(dump_report(replace(report, run=run))).digest == report.digest


def test_each_benchmark_shows_its_tokens_cost_and_median_at_a_glance() -> None:
    report = reported()
    harbour, mountain = (glances(report, benchmark) for benchmark in report.benchmarks)
    assert in_short([harbour[0].usage]).rows[0][:2] == ("60", "1.0000")
    assert in_short([mountain[0].usage]).rows[0][:2] == ("600", "10.0000")
    assert mountain[1].times_ms["retrieve"] == 70.0
    assert "10.0000" in render_summary(report)


def test_tables_have_rows_of_each_benchmark_above_those_of_all() -> None:
    found = sums(reported())
    assert found.header[: found.names] == ("benchmark", "entrant")
    cells = [dict(zip(found.header, row, strict=True)) for row in found.rows]
    assert [(row["benchmark"], row["tokens in"]) for row in cells if row["entrant"] == "model"] == [
        (HARBOUR, "40"),
        (MOUNTAIN, "400"),
        ("all benchmarks", "440"),
    ]
    medians = {row[:3]: row[-5] for row in times(reported()).rows}
    assert medians[MOUNTAIN, "model", "whole answer"] == "20.0 s"
    assert (MOUNTAIN, "words", "retrieve", *["70.00 ms"] * 4) in latencies(reported()).rows


def table_row(text: str, name: str) -> list[str]:
    """The first five numbers of a row that is called so, of the table that tells answers, requests and tokens."""
    rows = (" ".join(line.split()) for line in text.splitlines())
    return next(row for row in rows if row.startswith(f"{name} ")).removeprefix(f"{name} ").split()[:5]


def test_terminal_and_page_show_every_row() -> None:
    data = material()
    text = render_text(assemble(data))
    assert max(map(len, text.splitlines())) <= 100
    assert table_row(text, "mountain model") == ["4", "0", "8", "400", "200"]
    assert table_row(text, "all benchmarks model") == ["8", "0", "12", "440", "220"]
    page = render_page(Finished(assemble(data), data))
    row = '<td><span class="name" title="{0}">{0}</span></td><td><span class="name" title="model">model</span></td>'
    for name in (HARBOUR, MOUNTAIN, "all benchmarks"):
        assert page.count(row.format(name)) >= 2, "tokens and times"


def test_a_report_of_an_earlier_version_tells_its_sums() -> None:
    report = reported()
    earlier = replace(report, run=replace(report.run, by_benchmark=()))
    assert {row[0] for row in sums(earlier).rows} == {"all benchmarks"}
    assert all(each.usage == {} for each in glances(earlier, earlier.benchmarks[0]))
    alone = replace(earlier, benchmarks=earlier.benchmarks[:1], entrants=earlier.entrants[:2])
    assert glances(alone, alone.benchmarks[0])[0].usage == report.run.usage[MODEL]
