"""The audit of evidence."""

from __future__ import annotations

import math

import pytest

from bakeoff.domain.benchmark import Case, Evidence
from bakeoff.domain.errors import InvalidInputError
from bakeoff.preparation.findings import Findings
from bakeoff.preparation.judgements import JudgementAudit
from tests.builders.benchmark import a_case


def audited(*cases: Case) -> tuple[JudgementAudit, dict[str, int]]:
    findings = Findings()
    audit = JudgementAudit({"d1", "d2"}, findings)
    for case in cases:
        audit.add(case)
    return audit, {finding.code: finding.count for finding in findings.all()}


def test_when_every_document_is_there_no_ceiling_is_told() -> None:
    audit, findings = audited(a_case(relevant={"d1": 2, "d2": 0}))
    assert (audit.ceiling(), findings, audit.judgements) == ({}, {}, 2)


def test_ceilings_are_means_over_cases_with_a_relevant_document() -> None:
    audit, _ = audited(
        a_case("a", relevant={"d1": 1, "gone": 3}), a_case("b", relevant={"d1": 1}), a_case("c", relevant={"d1": 0})
    )
    # Ideal: 3/log2(2) + 1/log2(3); reachable: 1/log2(2). Case c has nothing to find and no ideal.
    reachable = 1 / (3 + 1 / math.log2(3))
    assert audit.ceiling() == {"recall": (0.5 + 1) / 2, "ndcg@10": pytest.approx((reachable + 1) / 2)}


def test_a_judged_absent_document_of_grade_zero_costs_nothing() -> None:
    audit, findings = audited(a_case(relevant={"d1": 1, "gone": 0}))
    assert (audit.ceiling(), findings) == ({}, {"dangling_judgement": 1})


def test_cases_without_a_relevant_document_are_noted() -> None:
    assert audited(a_case(relevant={"d1": 0, "d2": -1}))[1] == {"no_relevant_document": 1}


def test_cases_of_which_nothing_is_expected_are_noted() -> None:
    assert audited(a_case(answers=(), relevant=()))[1] == {"nothing_expected": 1}


def test_two_pieces_in_one_document_are_one_relevant_document() -> None:
    pieces = [Evidence(locator={"document_id": each}, text="t") for each in ("d1", "d1", "gone")]
    audit, findings = audited(a_case(evidence=pieces))
    assert audit.ceiling()["recall"] == 0.5
    assert findings == {"dangling_judgement": 1}
    assert audit.needs_texts


def test_only_if_no_judged_document_at_all_is_there_it_is_an_error() -> None:
    audited(a_case("a", relevant=("gone",)), a_case("b", relevant=("d1",)))[0].check()
    audited(a_case(relevant=()))[0].check()
    with pytest.raises(InvalidInputError, match="0 of 2 judged cases"):
        audited(a_case("a", relevant=("gone",)), a_case("b", relevant=("lost",)))[0].check()
