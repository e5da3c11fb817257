"""The page shows, case by case, what engines asked for and what their models took."""

from __future__ import annotations

from dataclasses import replace

from bakeoff.domain.answer import CaseAnswer
from bakeoff.domain.benchmark import Case
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.prompt import Usage
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.material import Finished
from bakeoff.reporting.page.retrieval_view import retrieval_lines
from bakeoff.reporting.registries import renderers
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate

HOPS: dict[str, object] = {
    "engine": "multihop",
    "queries": ["who wrote it?", "where was she born?"],
    "ended": "enough",
    "first": [{"engine": "rewrite", "queries": ["its author"], "fallback": {"kind": "parse", "reason": "no JSON"}}],
}


def test_hops_are_told_in_their_order_with_their_end_and_the_engines_within() -> None:
    assert retrieval_lines(HOPS, Usage(1200, 34, None, 0.5, 3)) == (
        "multihop: searched for “who wrote it?” → “where was she born?”; what was found was enough",
        "multihop › rewrite: searched for “its author”; went on without the model's word: no JSON",
        "models took 3 requests, 1,200 tokens in and 34 out, cost 0.5000",
    )


def test_an_order_tells_where_the_first_passages_stood() -> None:
    facts: dict[str, object] = {"engine": "rerank", "from_ranks": [3, 1, 2]}
    assert retrieval_lines(facts, Usage(attempts=0)) == (
        "rerank: put 3 passages in order; the first stood at 3, 1, 2 before",
        "models took stored replies",
    )


def test_a_plain_search_is_not_told() -> None:
    assert retrieval_lines({}, None) == ()


def test_the_page_has_it_beside_the_passages_and_escapes_it() -> None:
    def says(entrant: str, case: Case) -> CaseAnswer:
        facts = {**HOPS, "queries": ["<b>who</b>?"]}
        return replace(an_answer(case.case_id), metadata={"retrieval": facts}, retrieval_usage=Usage(7, 1))

    found = evaluate(a_request(recipes=[a_recipe("hops")]), [a_case("c1")], says, methods=["hit(k=1)"])
    material = gather(found.plan, found.context)
    page = renderers.load().make(ComponentSpec("html")).render(Finished(assemble(material), material))
    assert page is not None
    text = page.data.decode()
    assert "<h4>How it was found</h4>" in text
    assert "multihop: searched for “&lt;b&gt;who&lt;/b&gt;?”" in text
