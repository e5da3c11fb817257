"""Evidence is matched by pages, tables, rows and columns; what matched, and what did not, is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.domain.answer import Passage, Span, TablePlace
from bakeoff.domain.benchmark import Evidence
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.page_places import page_indexes, page_name
from bakeoff.domain.score import CaseScores
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.evidence import Wanted
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from tests.builders import a_case, a_passage, an_answer

SHEET = TablePlace("Rates", Span(10, 20), Span(0, 3), ("Port", "Fee 2031", "Fee 2032"))
NOTES = TablePlace("Notes", Span(0, 5), Span(0, 1), ("Remark",))
ROWS = replace(
    a_passage("d1", text="Port | Fee 2031 | Fee 2032\nNorth Quay | 12 | 14", chunk=2),
    pages=Span(4, 6),
    page_label="iv–2",
    tables=(NOTES, SHEET),
)


def score(evidence: Sequence[Evidence], passages: Sequence[Passage], *methods: str) -> CaseScores:
    planned = make_methods(evaluators.load(), [ComponentSpec.parse(method) for method in methods])
    (scored,) = score_batch(planned, [a_case(evidence=evidence)], [an_answer(found=passages)], ScoringContext())
    return scored


def told(evidence: Evidence, *passages: Passage) -> dict[str, Any]:
    pieces: Any = score([evidence], passages, "evidence_recall").details["evidence"]
    (piece,) = pieces
    return dict(piece)


@pytest.mark.parametrize(
    "locator",
    [
        {"page_index": 4},
        {"page_index": 5},
        {"page_index": [40, 5]},
        {"page_index": "5"},
        {"page_number": 5},
        {"page_number": 6},
        {"page_label": "iv"},
        {"page_label": "2"},
        {"table_id": "Rates"},
        {"row_index": 10},
        {"row_index": [3, 19], "table_id": "Rates"},
        {"column": "fee  2032"},
        {"column": 2},
        {"table_id": "Rates", "row_index": 12, "column": "Fee 2031"},
        {"document_id": "d1", "page_index": 4, "table_id": "Rates", "row_index": 12, "column": 0},
        {"document_ids": ["d0", "d1"]},
        {"chunk_id": ["d1#1", "d1#2"]},
    ],
)
def test_a_place_within_the_passage_matches(locator: dict[str, object]) -> None:
    found = told(Evidence(locator=locator), ROWS)
    assert (found["rank"], found["by"]) == (1, list(locator))


@pytest.mark.parametrize(
    ("locator", "unfit"),
    [
        ({"document_id": "d1", "page_index": 3}, ["page_index"]),
        ({"document_id": "d1", "page_index": 6}, ["page_index"]),
        ({"document_id": "d1", "page_number": 4}, ["page_number"]),
        ({"document_id": "d1", "page_number": 7}, ["page_number"]),
        ({"document_id": "d1", "page_label": "i"}, ["page_label"]),
        ({"document_id": "d1", "page_index": True}, ["page_index"]),
        ({"document_id": "d1", "row_index": 20}, ["row_index"]),
        ({"document_id": "d1", "column": "Fee"}, ["column"]),
        ({"document_id": "d1", "column": 3}, ["column"]),
        # The row is in one table and the column in the other.
        ({"document_id": "d1", "table_id": "Notes", "row_index": 12}, ["row_index"]),
        ({"document_id": "d1", "row_index": 12, "column": "Remark"}, ["row_index"]),
        ({"document_id": "d2", "row_index": 12}, ["document_id"]),
    ],
)
def test_a_place_elsewhere_does_not_and_says_what_did_not_fit(locator: dict[str, object], unfit: list[str]) -> None:
    found = told(Evidence(locator=locator), ROWS)
    assert (found["rank"], found["by"]) == (None, [])
    assert found["nearest"]["not"] == unfit
    assert found["nearest"]["chunk_id"] == "d1#2"


def test_a_page_of_a_passage_without_pages_is_not_known_and_does_not_match() -> None:
    assert told(Evidence(locator={"document_id": "d1", "page_index": 9}), a_passage("d1"))["rank"] is None


def test_a_row_of_a_passage_without_tables_is_not_known_and_does_not_match() -> None:
    found = told(Evidence(locator={"document_id": "d1", "table_id": "Rates", "row_index": 1}), a_passage("d1"))
    assert found["nearest"]["not"] == ["table_id", "row_index"]


def test_printed_page_and_place_in_the_file_are_both_known() -> None:
    front = replace(a_passage("d1"), pages=Span(3, 4), page_label="iv")
    assert told(Evidence(locator={"page_label": "iv"}), front)["rank"] == 1
    assert told(Evidence(locator={"page_index": 3}), front)["rank"] == 1
    assert told(Evidence(locator={"page_label": "4"}), front)["rank"] is None


def test_a_benchmarks_own_fields_are_not_compared_and_that_is_told() -> None:
    found = told(Evidence(locator={"document_id": "d1", "paragraph": 7}), ROWS)
    assert (found["rank"], found["by"], found["ignored"]) == (1, ["document_id"], ["paragraph"])


def test_the_nearest_passage_is_the_one_that_fits_best() -> None:
    far, near = replace(ROWS, rank=1, tables=()), replace(ROWS, rank=2, pages=Span(9, 10))
    found = told(
        Evidence(locator={"document_id": "d1", "page_index": 4, "table_id": "Rates", "row_index": 12}), far, near
    )
    assert found["nearest"]["rank"] == 2
    assert found["nearest"]["not"] == ["page_index"]


@pytest.mark.parametrize("text", [" \n\t", "\u3000", ""])
def test_a_text_of_white_space_matches_nothing(text: str) -> None:
    assert not Wanted(Evidence(locator={"figure": 1}, text=text)).comparable


def test_pages_are_named_from_their_locators() -> None:
    assert page_indexes({"page_index": 0, "page_number": 1}) == (0,)
    assert page_indexes({"page_number": [0, 1, 2.0, "3"], "page_index": [-1, None, "x", 2.5]}) == (0, 1, 2)


def test_page_names_are_injective() -> None:
    assert (
        len({page_name("d:p00001", 2), page_name("d", 1), page_name("d:p00001:p00002", 1), page_name("d", 100_000)})
        == 4
    )


def test_measures_over_pieces_of_evidence() -> None:
    passages = [
        a_passage(name, rank=rank, chunk=rank) for rank, name in enumerate(["x", "a", "y", "a", "b", "c"], start=1)
    ]
    evidence = [Evidence(locator={"document_id": name}) for name in ("a", "b", "z")]
    found = score(
        evidence,
        passages,
        "evidence_recall(k=4)", "evidence_recall(k=5)", "evidence_hit(k=1)", "evidence_hit(k=2)",
        "evidence_complete(k=6)", "evidence_precision(k=10)", "evidence_reciprocal_rank(k=10)",
        "evidence_average_precision(k=10)", "evidence_average_precision(k=4)",
    )  # fmt: skip
    assert {score.metric: score.value for score in found.scores} == pytest.approx(
        {
            "evidence_recall@4": 1 / 3,
            "evidence_recall@5": 2 / 3,
            "evidence_hit@1": 0.0,
            "evidence_hit@2": 1.0,
            "evidence_complete@6": 0.0,
            "evidence_precision@10": 3 / 10,  # the second passage of `a` is evidence too
            "evidence_mrr@10": 1 / 2,
            "evidence_map@10": (1 / 2 + 2 / 5) / 3,
            "evidence_map@4": (1 / 2) / 3,
        }
    )


def test_two_pieces_in_one_passage_count_no_more_than_its_rank() -> None:
    both = a_passage("a", text="The gauge stands at North Quay and the lamp at South Quay.")
    evidence = [Evidence(text="gauge stands at North Quay"), Evidence(text="the lamp at South Quay")]
    found = score(evidence, [both], "evidence_average_precision", "evidence_complete")
    assert [each.value for each in found.scores] == [1.0, 1.0]


def test_pages_are_ranked_by_the_best_passage_that_touches_them() -> None:
    passages = [
        replace(a_passage("d", rank=1, score=3.0), pages=Span(4, 5)),
        replace(a_passage("d", rank=2, score=2.0, chunk=1), pages=Span(4, 6)),
        replace(a_passage("e", rank=3, score=1.0), pages=Span(4, 5)),
        a_passage("f", rank=4, score=0.5),
    ]
    evidence = [
        Evidence(locator={"document_id": "d", "page_index": 5}),
        Evidence(locator={"document_id": "e", "page_number": 5}),
    ]
    found = score(
        evidence, passages, "page_recall(k=2)", "page_recall(k=null)", "page_precision(k=2)", "page_hit(k=1)",
        "page_reciprocal_rank", "page_reciprocal_rank(k=1)", "page_average_precision", "page_ndcg(k=null)",
    )  # fmt: skip
    assert {score.metric: score.value for score in found.scores} == pytest.approx(
        {
            "page_recall@2": 1 / 2,
            "page_recall": 1.0,
            "page_precision@2": 1 / 2,
            "page_hit@1": 0.0,
            "page_mrr": 1 / 2,
            "page_mrr@1": 0.0,
            "page_map": (1 / 2 + 2 / 3) / 2,
            "page_ndcg": (0.6309297535714575 + 0.5) / (1 + 0.6309297535714575),
        }
    )


def test_a_case_whose_evidence_names_no_page_is_not_applicable_to_page_measures() -> None:
    (score_,) = score([Evidence(locator={"document_id": "d"})], [a_passage("d")], "page_recall").scores
    assert "names a page" in score_.reason
