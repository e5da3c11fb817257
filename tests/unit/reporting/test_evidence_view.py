"""The report's cases say what matched each piece of evidence, and what kept a passage from being it."""

from __future__ import annotations

import re
from dataclasses import replace

from bakeoff.domain.answer import Span
from bakeoff.domain.benchmark import Evidence
from bakeoff.domain.component import ComponentSpec
from bakeoff.reporting.assemble import assemble
from bakeoff.reporting.gather import gather
from bakeoff.reporting.material import Finished
from bakeoff.reporting.page.evidence_view import EvidenceView, evidence_views, matched_passages
from bakeoff.reporting.registries import renderers
from tests.builders import a_case, a_passage, a_recipe, a_request, an_answer
from tests.builders.evaluated import evaluate

DETAILS = {
    "evidence": [
        {"reference": "report page 5", "rank": 2, "by": ["document_id", "page_index"], "chunk_id": "report#7"},
        {
            "reference": "x",
            "rank": None,
            "by": [],
            "nearest": {"rank": 1, "by": ["document_id"], "not": ["page_index"]},
        },
        {"reference": "y", "rank": None, "by": [], "ignored": ["paragraph"]},
    ]
}


def test_found_and_missed_evidence_are_told_with_their_reasons() -> None:
    assert evidence_views(DETAILS) == (
        EvidenceView("report page 5", True, "passage 2, matched by document_id, page_index"),
        EvidenceView("x", False, "not found; nearest is passage 1, which fits document_id and not page_index"),
        EvidenceView("y", False, "not found; not compared: paragraph"),
    )
    assert matched_passages(DETAILS) == {2: ["evidence matched by document_id, page_index"]}


def test_details_of_another_shape_show_nothing() -> None:
    for odd in ({}, {"evidence": "x"}, {"evidence": [3]}):
        assert evidence_views(odd) == ()
        assert matched_passages(odd) == {}


def test_the_page_of_a_report_shows_them() -> None:
    evidence = [Evidence("page 5", {"document_id": "report", "page_number": 5})]
    hits = [
        replace(a_passage("report", rank=1, text="four"), pages=Span(3, 4)),
        replace(a_passage("report", rank=2, text="five", chunk=1), pages=Span(4, 5)),
    ]
    made = evaluate(
        a_request(recipes=[a_recipe("both"), a_recipe("first")]),
        [a_case(evidence=evidence)],
        lambda entrant, case: an_answer(found=hits if entrant.startswith("both") else hits[:1]),
        methods=["evidence_recall", "page_recall"],
    )
    material = gather(made.plan, made.context)
    finished = Finished(assemble(material), material)
    rendered = renderers.load().make(ComponentSpec("html")).render(finished)
    assert rendered is not None
    text = " ".join(re.sub("<[^>]*>", " ", rendered.data.decode()).split())
    assert "found page 5 passage 2, matched by document_id, page_number" in text
    assert "missed page 5 not found; nearest is passage 1, which fits document_id and not page_number" in text
    assert "characters 0–4 of its text, page 5" in text
