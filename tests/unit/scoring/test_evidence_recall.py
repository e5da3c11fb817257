"""Evidence is found by its place, its words, or both."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bakeoff.domain.answer import FailureKind, Passage, Span
from bakeoff.domain.benchmark import Evidence
from bakeoff.domain.component import ComponentSpec
from bakeoff.domain.score import CaseScores, Outcome
from bakeoff.scoring.core import score_batch
from bakeoff.scoring.evaluator import ScoringContext
from bakeoff.scoring.methods import make_methods
from bakeoff.scoring.registries import evaluators
from tests.builders import a_case, a_passage, an_answer, some_evidence


def score(evidence: list[Evidence], passages: list[Passage], k: int = 5) -> CaseScores:
    planned = make_methods(evaluators.load(), [ComponentSpec("evidence_recall", {"k": k})])
    answer = an_answer(found=passages)
    (scored,) = score_batch(planned, [a_case(evidence=evidence)], [answer], ScoringContext())
    return scored


def matches(scored: CaseScores) -> list[tuple[int | None, list[str]]]:
    evidence: Any = scored.details["evidence"]
    return [(found["rank"], found["by"]) for found in evidence]


PASSAGE = replace(
    a_passage("d1", text="The tide gauge stands\n at North Quay, by the steps.", chunk=3),
    raw_key="raw/benchmarks/b/test/d1/d1.pdf",
    pages=Span(4, 6),
)


@pytest.mark.parametrize(
    ("evidence", "by"),
    [
        (Evidence(locator={"document_id": "d1"}), ["document_id"]),
        (Evidence(locator={"source_key": "raw/benchmarks/b/test/d1/d1.pdf"}), ["source_key"]),
        (Evidence(locator={"source_key_prefix": "raw/benchmarks/b/test/d1"}), ["source_key_prefix"]),
        (Evidence(locator={"document_id": "d1", "page_index": 5}), ["document_id", "page_index"]),
        (Evidence(locator={"chunk_id": "d1#3"}), ["chunk_id"]),
        (Evidence(text="the TIDE gauge   stands at north quay"), ["text"]),
        (Evidence(locator={"document_id": "d1"}, text="North Quay"), ["document_id", "text"]),
        (Evidence(text="It is said: The tide gauge stands at North Quay, by the steps. So be it."), ["text"]),
        (Evidence(reference_id="d1"), ["reference_id"]),
        (Evidence(locator={"document_id": "d1", "figure": 7}), ["document_id"]),
    ],
)
def test_evidence_is_matched(evidence: Evidence, by: list[str]) -> None:
    scored = score([evidence], [PASSAGE])
    assert scored.scores[0].value == 1.0
    assert matches(scored) == [(1, by)]


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence(locator={"document_id": "d2"}),
        Evidence(locator={"document_id": "d1"}, text="South Quay"),
        Evidence(locator={"document_id": "d2"}, text="North Quay"),
        Evidence(locator={"document_id": "d1", "page_index": 6}),
        Evidence(locator={"source_key_prefix": "raw/benchmarks/b/test/d"}),
        Evidence(locator={"chunk_id": "d1#30"}),
        Evidence(reference_id="d"),
    ],
)
def test_evidence_elsewhere_is_not_matched(evidence: Evidence) -> None:
    scored = score([evidence], [PASSAGE])
    assert scored.scores[0].value == 0.0
    assert matches(scored) == [(None, [])]


def test_a_short_passage_inside_the_evidence_does_not_count() -> None:
    evidence = [Evidence(text="The tide gauge stands at North Quay.")]
    assert score(evidence, [a_passage(text="North Quay.")]).scores[0].value == 0.0


def test_only_the_first_passages_count() -> None:
    passages = [a_passage(f"d{rank}", rank=rank) for rank in range(1, 8)]
    evidence = [some_evidence("d1"), some_evidence("d5"), some_evidence("d6"), some_evidence("d9")]
    assert score(evidence, passages, k=5).scores[0].value == 0.5
    assert score(evidence, passages, k=6).scores[0].value == 0.75


def test_judged_but_irrelevant_evidence_is_not_wanted() -> None:
    assert score([some_evidence("d1"), some_evidence("d2", relevance=0)], [a_passage("d1")]).scores[0].value == 1.0


@pytest.mark.parametrize("evidence", [[], [some_evidence("d1", relevance=0)], [Evidence(locator={"figure": "t1"})]])
def test_nothing_to_compare_with_is_not_applicable(evidence: list[Evidence]) -> None:
    assert score(evidence, [PASSAGE]).scores[0].outcome is Outcome.NOT_APPLICABLE


def test_a_text_that_was_not_kept_fails_the_case_and_says_so() -> None:
    failure = score([Evidence(text="North Quay")], [a_passage("d1")]).scores[0].failure
    assert failure is not None
    assert failure.kind is FailureKind.INFRASTRUCTURE
    assert "text of passage 1 (d1#0) was not kept" in failure.reason


def test_a_text_that_was_not_kept_does_not_matter_where_no_text_is_needed() -> None:
    assert score([some_evidence("d1")], [a_passage("d1")]).scores[0].value == 1.0
