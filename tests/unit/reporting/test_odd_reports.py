"""Reports of odd evaluations: markup in every text, one case, all cases failed, many entrants, very long names."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from bakeoff.contract import object_keys
from bakeoff.domain.answer import CaseAnswer, Failure, FailureKind
from bakeoff.domain.benchmark import Case
from bakeoff.domain.prepared import QualityFinding, QualityReport
from bakeoff.domain.prompt import Usage
from bakeoff.domain.recipe import Recipe
from bakeoff.reporting.handlers import report
from bakeoff.reporting.load import load_report
from bakeoff.reporting.registries import renderers
from bakeoff.reporting.text import render_summary, render_text
from tests.builders import a_case, a_recipe, a_request, an_answer
from tests.builders.evaluated import EVALUATION, Says, evaluate

renderers.load()
MARKUP = "</script></style></title><img src=x onerror=alert(1)>\"'&amp;<!--"
FAILED = Failure(FailureKind.INFRASTRUCTURE, f"it died: {MARKUP}\x1b[2J")


class Tags(HTMLParser):
    """Collects tags with what they link to and react to, and whether each was closed."""

    VOID = frozenset({"meta", "br", "input", "line", "path", "circle", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def made(
    says: Says,
    *recipes: Recipe,
    cases: list[Case],
    name: str = "odd",
    benchmark: str = "harbour",
    quality: QualityReport | None = None,
) -> tuple[Tags, str, str]:
    """Return the page, the summary and the full text of an evaluation."""
    found = evaluate(
        a_request(name, recipes=list(recipes)),
        cases,
        says,
        methods=["ndcg(k=10)", "hit(k=1)", "answer_contains"],
        name=benchmark,
        quality=quality,
    )
    data = report(found.task, found.context).data
    page = found.context.objects.read_key(object_keys.report(EVALUATION, "report.html")).decode()
    loaded = load_report(data)
    return Tags(page), render_summary(loaded), render_text(loaded)


def right(entrant: str, case: Case) -> CaseAnswer:
    return an_answer(case.case_id, found=["d1"], text="It stands at North Quay.")


def test_markup_stays_text_wherever_it_comes_from() -> None:
    def says(entrant: str, case: Case) -> CaseAnswer:
        if case.case_id.endswith("0"):
            return an_answer(case.case_id, failure=FAILED)
        return an_answer(case.case_id, found=[MARKUP, "d1"], text=MARKUP)

    cases = [a_case(f"{MARKUP}{number}", question=MARKUP, relevant=(MARKUP, "d1")) for number in range(4)]
    finding = QualityFinding("odd", 1, MARKUP, (MARKUP,))
    page, _, _ = made(
        says,
        a_recipe(f"one {MARKUP}", answer="extractive"),
        a_recipe(f"two {MARKUP}", answer="extractive"),
        cases=cases,
        name=MARKUP,
        benchmark=MARKUP,
        quality=QualityReport(60, 4, 1, 8, (finding,)),
    )
    assert page.open == []
    assert "img" not in page.seen
    assert not [name for name in page.attributes if name.startswith("on")]
    assert page.text.count(MARKUP) > 4 * 2 + 10


def test_the_terminal_is_not_steered_by_a_reason() -> None:
    _, summary, text = made(
        lambda entrant, case: an_answer(case.case_id, failure=FAILED), a_recipe("one"), cases=[a_case("c")]
    )
    assert "\x1b" in FAILED.reason
    assert not [mark for mark in summary + text if mark < " " and mark != "\n"]


def test_when_every_case_failed_that_is_the_headline() -> None:
    page, summary, _ = made(
        lambda entrant, case: an_answer(case.case_id, failure=FAILED),
        a_recipe("one"),
        a_recipe("two"),
        cases=[a_case(f"c{number}") for number in range(5)],
    )
    assert "Every case failed: there is nothing to compare." in page.text
    assert "Every case failed: there is nothing to compare." in summary
    assert "5 of 5 cases failed for two and count as 0" in page.text


def test_one_case_has_means_without_intervals() -> None:
    page, _, text = made(right, a_recipe("one"), a_recipe("two"), cases=[a_case("only")])
    assert page.open == []
    assert "one   " in text
    assert " –  " in text


@pytest.mark.parametrize("count", [12, 13])
def test_many_entrants_keep_the_text_within_a_hundred_columns(count: int) -> None:
    recipes = [a_recipe(f"recipe {number:02d}", answer="extractive") for number in range(count)]
    page, summary, text = made(right, *recipes, cases=[a_case(f"c{number}") for number in range(3)])
    assert page.open == []
    assert max(map(len, summary.splitlines())) <= 100
    assert max(map(len, text.splitlines())) <= 100


def test_long_names_are_whole_in_the_page() -> None:
    name, case = "r" * 200, "c" * 200
    page, _, text = made(right, a_recipe(name), a_recipe("short"), cases=[a_case(case), a_case("other")])
    assert name in page.text
    assert case in page.text
    assert name in text


def test_the_page_says_where_a_relevant_document_stands_beyond_the_passages_shown() -> None:
    found = [f"d{number}" for number in range(20, 10, -1)]
    page, _, _ = made(
        lambda entrant, case: an_answer(case.case_id, found=[*found, "d1"]),
        a_recipe("one"),
        cases=[a_case("c", relevant=("d1", "d2"))],
    )
    text = " ".join(page.text.split())
    assert "Relevant: d1 at rank 11 · d2 not retrieved" in text


def test_a_recipe_without_a_knowledge_base_tells_of_its_prompt_and_not_of_searches() -> None:
    prompt = "Say {question} <b>now</b>"
    recipes = [
        replace(recipe, query=(), answer=replace(recipe.answer, template=template, samples=3))
        for name, template in (("one", ""), ("two", prompt))
        if (recipe := a_recipe(name, answer="asking(currency=EUR, model=m, price_in=1)")).answer
    ]
    case = replace(a_case("c", relevant=()), metadata={"choices": ["red", "blue"]})

    def says(entrant: str, case: Case) -> CaseAnswer:
        answer = an_answer(case.case_id, text="It stands at North Quay.")
        told = {"template": entrant[:3] * 21 + "0"}
        return replace(answer, passages=(), usage=Usage(9, 2, cost=0.5), metadata=told)

    page, summary, text = made(says, *recipes, cases=[case])
    assert page.open == []
    shown = " ".join(page.text.split())
    for there in ("A red", "B blue", prompt, "samples: 3", "the built-in one that fits the case", "two" * 21 + "0",
                  "Costs of answers are in EUR", "9 tokens in, 2 tokens out, cost 0.5000"):  # fmt: skip
        assert there in shown, there
    for absent in ("Nothing was found.", "Knowledge bases", "Chunks", "chunks"):
        assert absent not in shown + summary + text, absent
