"""How much of the truth approximate indexes find, as a report says it."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.domain.knowledge import EMBEDDER_COST, EMBEDDER_TOKENS
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.index_findings import index_findings, recall_sentences
from bakeoff.reporting.text import render_summary
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate


def test_what_vectors_took_is_no_finding_of_an_index() -> None:
    measures = {"dense.recall_at_10": 0.98765, EMBEDDER_TOKENS: 12.0, EMBEDDER_COST: 0.5}

    assert index_findings(measures) == ("index dense: recall_at_10 0.9877",)


def test_the_terminal_is_told_what_an_approximate_index_of_a_recipe_finds() -> None:
    request = a_request(recipes=[a_recipe("exact"), a_recipe("near", chunker="page")])
    found = evaluate(
        request, [a_case("c", relevant=["d1"])], lambda entrant, case: an_answer(case.case_id), methods=["ndcg"]
    )
    report = assemble(gather(found.plan, found.context))
    benchmark = report.benchmarks[0]
    assert recall_sentences(report, benchmark) == []

    exact, near = report.knowledge_bases
    near = replace(near, findings=("document 'd': blank", *index_findings({"dense.recall_at_10": 0.9876})))
    other = replace(near, kb_id="kb-other", findings=index_findings({"dense.recall_at_10": 0.5}))
    one = replace(report, knowledge_bases=(exact, near))
    entrants = [replace(each, knowledge_bases=(*each.knowledge_bases, "kb-other")) for each in report.entrants[1:]]
    two = replace(report, knowledge_bases=(exact, near, other), entrants=(report.entrants[0], *entrants))

    [sentence] = recall_sentences(one, benchmark)
    assert sentence == (
        "near: its index dense is approximate and finds 0.9876 of the ten nearest chunks (recall_at_10)"
    )
    assert sentence in " ".join(render_summary(one).split())
    assert recall_sentences(two, benchmark) == [
        "near: its index dense is approximate and finds 0.7438 on average, 0.5000 at least, of the ten nearest chunks "
        "(recall_at_10, over 2 knowledge bases)"
    ]
