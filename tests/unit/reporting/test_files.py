"""The files of a report, as somebody meets them who opens one."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser

import pyarrow.parquet as pq
import pytest

from bakeoff.contract import object_keys
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.errors import InvalidInputError
from bakeoff.domain.prepared import QualityFinding, QualityReport
from bakeoff.reporting.handlers import report
from bakeoff.reporting.load import load_report
from bakeoff.reporting.page import case_views
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.text import render_summary, render_text
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import EVALUATION, Evaluated, evaluate

renderers.load()
KILLED = Failure(FailureKind.INFRASTRUCTURE, "the case <killed> its process")
CASES = [a_case(f"c{number:02d}", question=f"Which <b>quay</b> & pier {number}?") for number in range(30)]
QUALITY = QualityReport(
    60, 30, 1, 30, (QualityFinding("dangling_judgement", 2, "Two documents are missing.", ("d7",)),)
)


def says(entrant: str, case: Case) -> CaseAnswer:
    if entrant.startswith("good"):
        return an_answer(case.case_id, text="It stands at North Quay.")
    return an_answer(
        case.case_id, found=["d2", "d1"], text="<script>", failure=KILLED if case.case_id == "c07" else None
    )


@pytest.fixture(scope="module")
def made() -> Evaluated:
    request = a_request(
        "Quays & <piers>", recipes=[a_recipe("poor", answer="extractive"), a_recipe("good", answer="extractive")]
    )
    found = evaluate(request, CASES, says, methods=["ndcg(k=10)", "hit(k=1)", "answer_contains"], quality=QUALITY)
    result = report(found.task, found.context)
    found.context.objects.create(object_keys.report(EVALUATION, "report.json"), result.data)
    return found


def file(made: Evaluated, name: str) -> bytes:
    return made.context.objects.read_key(object_keys.report(EVALUATION, name))


class Page(HTMLParser):
    """Collects what a browser would fetch, and the tags that are open at the end."""

    VOID = frozenset({"meta", "br", "input", "line", "path", "circle", "rect", "link", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [value or "" for name, value in attrs if name in ("src", "href", "action", "data", "poster")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(data: bytes) -> Page:
    page = Page()
    page.feed(data.decode())
    return page


def test_every_file_is_there(made: Evaluated) -> None:
    prefix = object_keys.report(EVALUATION, "")
    names = {info.key.removeprefix(prefix) for info in made.context.objects.list(prefix)}
    assert names == {"report.json", "report.html", "cases.csv", "cases.parquet", "trec.zip"}


def test_the_page_fetches_nothing_and_is_well_formed(made: Evaluated) -> None:
    data = file(made, "report.html")
    page = parsed(data)
    assert page.open == []
    assert all(target.startswith("#") for target in page.fetched)
    assert not re.search(rb"url\(|@import|https?://", data)
    assert b"default-src 'none'" in data


def test_the_page_says_who_is_ahead_by_how_much_and_what_failed(made: Evaluated) -> None:
    text = " ".join(" ".join(parsed(file(made, "report.html")).text).split())
    assert "Quays & <piers>" in text
    assert re.search(r"good is ahead of poor on ndcg@10 by 0\.3\d\d \[0\.\d\d\d, 0\.\d\d\d\], p < 0\.001\.", text)
    assert "1 of 30 cases failed for poor and count as 0: 1 infrastructure." in text
    assert "the case <killed> its process" in text
    assert "Two documents are missing." in text
    assert "Which <b>quay</b> & pier 29?" in text
    assert "raw/benchmarks/b/test/d1/d1.txt · characters 0–0" in text


def test_a_page_holds_a_bounded_number_of_cases_and_says_so(made: Evaluated, monkeypatch: pytest.MonkeyPatch) -> None:
    from bakeoff.reporting.page import view

    monkeypatch.setattr(view, "EMBEDDED_CASES", 10)
    assert case_views.EMBEDDED_CASES == 2_000
    again = evaluate(made.plan.request, CASES, says, methods=["ndcg(k=10)"], evaluation_id="ev-again")
    report(again.task, again.context)
    data = again.context.objects.read_key(object_keys.report("ev-again", "report.html")).decode()
    assert data.count('<details class="case">') == 10
    assert "Only the first 10 of 30 cases are in this page" in data


def test_the_tables_have_a_row_for_each_case_entrant_and_metric(made: Evaluated) -> None:
    rows = list(csv.DictReader(io.StringIO(file(made, "cases.csv").decode())))
    assert len(rows) == 30 * 2 * 3
    failed = [row for row in rows if row["outcome"] == "failed"]
    assert {(row["case"], row["entrant"], row["failure_kind"], row["reason"], row["value"]) for row in failed} == {
        ("c07", "poor/full_text_search", "infrastructure", KILLED.reason, "")
    }
    table = pq.read_table(io.BytesIO(file(made, "cases.parquet"))).to_pylist()
    assert [{name: "" if value is None else str(value) for name, value in row.items()} for row in table] == rows


def test_the_text_holds_verdict_counts_and_reasons(made: Evaluated) -> None:
    text = render_text(load_report(file(made, "report.json")))
    assert "good is ahead of poor on ndcg@10" in text
    assert re.search(r"ndcg@10 +poor +0\.6099 +0\.6309 +\[0\.\d{4}, 0\.\d{4}\] +30 +29 +1 +0", text)
    assert "failed: 1 × poor, infrastructure: the case <killed> its process" in text


def test_the_summary_marks_the_highest_and_who_is_shown_to_be_lower(made: Evaluated) -> None:
    summary = render_summary(load_report(file(made, "report.json")))
    assert re.search(r"\n  poor +0\.6099 ↓ +0\.0000 ↓ +0\.0000 ↓\n", summary)
    assert re.search(r"\n  good +1\.0000 \* +1\.0000 \* +1\.0000 \*\n", summary)
    assert re.search(r"\n  poor +1 +200 +120\.6 KiB\n", summary)


def test_files_come_out_the_same_again(made: Evaluated) -> None:
    again = evaluate(
        made.plan.request, CASES, says, methods=["ndcg(k=10)", "hit(k=1)", "answer_contains"], quality=QUALITY
    )
    assert report(again.task, again.context).data == file(made, "report.json")
    for name in ("report.html", "cases.csv", "cases.parquet", "trec.zip"):
        assert file(again, name) == file(made, name)


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"schema_version": "0"}', b'{"schema_version": "1"}'])
def test_what_is_no_report_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInputError, match=r"not a (stored )?[rR]eport|not a stored EvaluationReport"):
        load_report(data)
